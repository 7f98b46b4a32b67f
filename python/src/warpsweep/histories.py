"""history: many runs of one job over months: from which run on did a point's time change for good, and what else
did?"""
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from . import verdicts
from .assumptions import scatter_of
from .errors import UsageError
from .estimates import LONG, Estimator, aligned, finish
from .frames import one_of
from .options import Arguments
from .pairing import partners, without_copies
from .pivots import point as in_words
from .results import Results
from .sheet import Document
from .statistics import Part, total
from .units import percent_more
from .verdicts import Rule, Scatter, ratio_of

RUNS_LEAST = 3  # of a history, and of a point
CONTEXT = {"uuid": "unit", "board_part": "board", "host": "host", "driver": "driver", "toolkit": "toolkit", "vbios": "firmware", "ecc": "ECC",
           "host_kernel": "kernel"}  # of /devices


@dataclass
class Trend:
    """``files`` in the order of time; ``levels``: a row a run, its times over those of the last, mean over the points
    of both; ``points``: how many at least three runs have measured; ``changes``: a row a change, by run and then by row
    of the last file: row, run (from 0), ratio with interval, verdict."""

    files: list[Results]
    levels: pd.DataFrame
    points: int
    changes: pd.DataFrame

    def context(self) -> dict[int, dict[str, tuple[str, str]]]:
        """What each run with changes has otherwise than the run before: by name the values before and after."""
        found = {}
        for run in sorted(set(self.changes["run"])):
            before, after = (_about(file) for file in self.files[run - 1:run + 1])
            found[run] = {name: (value, after[name]) for name, value in before.items()
                          if value and after[name] and value != after[name]}
        return found


def _about(results: Results) -> dict[str, str]:
    """Machine and software of a run; "" where they are not known."""
    known = results.devices.head(1).reindex(columns=list(CONTEXT), fill_value="").astype(str)
    return {**(known.iloc[0].rename(CONTEXT) if len(known) else dict.fromkeys(CONTEXT.values(), "")),
            "commit": results.env("commit") or ""}


def estimates_of(files: Sequence[Results]) -> list[pd.DataFrame]:
    """Finished estimates of the points of the last file in each file, in the order of its first measurements, with the
    unit of each file; "": several."""
    last, found = files[-1].rows[files[-1].rows["repeat"] == 0], []
    for results in files:
        own = results.rows[results.rows["repeat"] == 0]
        uuids: Any = results.devices.get("uuid", [])
        partner = partners(last, own, files[-1].columns, results.columns)
        e = finish(aligned(Estimator(results).of(own.index), np.append(own.index, -1)[partner]))
        found.append(e.assign(unit=uuids[0] if len(uuids) == 1 else "", predicted=False))
    return found


class _Material:
    """Estimates of the points of the last file (rows) in each run (columns), finished; NaN: not measured."""

    def __init__(self, files: list[Results]) -> None:
        self.estimates = estimates_of(files)
        self.log, self.error, self.dof = (np.stack([e[name].to_numpy(float) for e in self.estimates], 1)
                                          for name in ("log_seconds", "error", "dof"))
        self.units = [e["unit"].iloc[0] if len(e) else "" for e in self.estimates]
        self.scatter = scatter_of(str(files[0].devices["name"].iloc[0])) or Scatter()

    def ratio(self, rule: Rule, segments: pd.DataFrame) -> pd.DataFrame:
        """Of the mean of a segment's runs from `first` up to `end` to that of its others: variances of processes and
        runs average out, units are of both sides."""
        point, start, to, first, end = (segments[name].to_numpy() for name in ("point", "start", "to", "first", "end"))
        log, variance, dof, scatter = self.log[point], self.error[point] ** 2, self.dof[point], self.scatter
        runs = np.arange(log.shape[1])
        there = ~np.isnan(log) & (runs >= start[:, None]) & (runs < to[:, None])
        inside = (runs >= first[:, None]) & (runs < end[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):  # a side without a run of a point: no ratio
            means, weights, parts = [], [], []
            for side in (there & ~inside, there & inside):
                n = side.sum(1)
                weights.append(side / n[:, None])
                means.append((weights[-1] * np.where(side, log, 0)).sum(1))
                is_short = np.exp(means[-1]) < LONG
                parts += [Part(np.where(side[:, run], variance[:, run], 0) / n**2, dof[:, run]) for run in runs]
                parts.append(Part(np.where(is_short, *scatter.run) / n, scatter.run_dof))
            # What a unit adds: the sum of the squares of the units' weights. Unknown units are units of their own.
            same = [[a == b or bool(x) and x == y for b, y in enumerate(self.units)] for a, x in enumerate(self.units)]
            owner = np.argmax(same, axis=1)  # the first run of the same unit
            squares = np.square((weights[1] - weights[0]) @ (owner[:, None] == runs)).sum(1)
            parts.append(Part(np.where(is_short, *scatter.unit) * squares, scatter.unit_dof))
            return ratio_of(rule, means[1] - means[0], total(*parts)).set_axis(segments.index)

    def stand_out(self, segments: pd.DataFrame) -> pd.DataFrame:
        """The runs of each segment, one or several in a row, that explain most of the squares around its mean: first,
        end, and how many choices there were (0: none)."""
        found = []
        for point, start, to in segments[["point", "start", "to"]].to_numpy():
            log = self.log[point, start:to]
            known = ~np.isnan(log)
            n, total = (np.append(0, np.cumsum(of)) for of in (known, np.where(known, log, 0)))
            first, end = np.triu_indices(to - start + 1, 1)
            at_known = np.append(known, True)
            can = (first > 0) & (first < to - start) & at_known[first] & at_known[end] & (n[first] + n[-1] > n[end])
            first, end = first[can], end[can]
            if not len(first):
                found.append((start, start, 0))
                continue
            many = n[end] - n[first]
            others = n[-1] - many
            mean = (total[end] - total[first]) / many
            explained = many * others / n[-1] * (mean - (total[-1] - total[end] + total[first]) / others) ** 2
            best = int(np.argmax(explained))
            found.append((start + first[best], start + end[best], len(first)))
        return segments.assign(**dict(zip(("first", "end", "choices"), np.array(found).reshape(-1, 3).T)))


def trend_of(paths: Any, threshold: float = 0.01) -> Trend:
    """The changes of at least `threshold` by circular binary segmentation (Olshen et al. 2004).

    The runs of a point that stand out most from its others are another part if `verdicts.decide` calls them, over all
    points; then the parts are divided in the same way. p is multiplied by the number of possible parts. A change is the
    mean of the runs from there on, up to the next change, over that of those before.
    """
    files = without_copies([one_of(path) for path in paths])
    if len(files) < RUNS_LEAST:
        raise UsageError(f"a history needs at least {RUNS_LEAST} files, not {len(files)}")
    for number, file in enumerate(files, 1):
        if not file.env("start"):
            raise UsageError(f"file {number} does not tell when it was measured")
        if not file.devices[["name", "backend"]].head(1).equals(files[0].devices[["name", "backend"]].head(1)):
            raise UsageError(f"file {number} is of another product than the first: a history is of one")
    files = sorted(files, key=lambda file: str(file.env("start")))  # ISO 8601 in UTC: sorts as a text
    material, rule, segment = _Material(files), Rule(threshold), ["point", "start", "to"]
    points = np.flatnonzero((~np.isnan(material.log)).sum(1) >= RUNS_LEAST)
    now, whole = pd.DataFrame({"point": points, "start": 0, "to": len(files)}), []
    while len(now):
        now = material.stand_out(now)
        ratios = material.ratio(rule, now)
        ratios["p"] = np.minimum(1, ratios["p"] * now["choices"]).where(now["choices"] > 0)
        differ = np.isin(verdicts.decide(rule, ratios), ["faster", "slower"])
        whole.append(now.loc[~differ, segment])
        now = pd.concat([now.loc[differ, ["point", left, right]].set_axis(segment, axis=1)
                         for left, right in (("start", "first"), ("first", "end"), ("end", "to"))])
        now = now[now["start"] < now["to"]].reset_index(drop=True)
    segments = pd.concat([*whole, now[segment]]).sort_values(["point", "start"]).astype(int)
    before = segments.groupby("point")["start"].shift()
    after = segments.rename(columns={"start": "first"}).assign(start=before, end=segments["to"])[before.notna()]
    changes, last = material.ratio(rule, after.astype(int)), files[-1].rows
    changes = changes.assign(row=last.index[last["repeat"] == 0][after["point"]], run=after["first"],
                             verdict=np.where(changes["log_ratio"] < 0, "faster", "slower"))
    levels = [verdicts.group(rule, material.estimates[-1], e, (material.scatter, material.scatter))
              for e in material.estimates]
    return Trend(files, pd.DataFrame(levels), len(points), changes.sort_values(["run", "row"], ignore_index=True))


def history(*paths: Any, threshold: float = 0.01) -> pd.DataFrame:
    """The changes of the points of the last file, by run: run (1: the first), date, kernel and the axes of the point,
    ratio of the time with its 95 % interval low, high, verdict. ``attrs["runs"]``: a row a run, with its times over
    those of the last."""
    return _table(trend_of(paths, threshold))


def _table(trend: Trend) -> pd.DataFrame:
    last, changes = trend.files[-1], trend.changes
    names = [name for name in last.columns.axes() if last.rows[name].nunique(dropna=False) > 1]
    dates = pd.Series([file.env("start") for file in trend.files])
    table = pd.concat([pd.DataFrame({"run": changes["run"] + 1, "date": changes["run"].map(dates)}),
                       last.rows.loc[changes["row"], ["id", "kernel", *names]].reset_index(drop=True),
                       changes[["ratio", "low", "high", "verdict"]]], axis=1)
    runs = trend.levels.assign(date=dates, file=[str(file.path) for file in trend.files])
    table.attrs["runs"] = runs.to_dict("records")
    return table


def _print(document: Any, trend: Trend, with_points: bool) -> None:
    changes, last = trend.changes, trend.files[-1]
    dates = [(file.env("start") or "")[:16].replace("T", " ") for file in trend.files]
    document.heading(1, f"History of {last.devices['name'].iloc[0]}")
    levels = np.array(trend.levels[["ratio", "low", "high"]], float)
    levels[-1] = np.nan
    document.texts([">run", "date", "unit", "driver", "commit", ">time against the last, %", ">from", ">to"], [
        [str(run + 1), dates[run], about["unit"][:12] if len(file.devices) == 1 else "several", about["driver"],
         about["commit"][:12], *(percent_more(end, 2) for end in levels[run])]
        for run, file in enumerate(trend.files) for about in [_about(file)]])
    if len(changes):
        document.heading(2, f"Changes at {len(changes)} places")
        rows = []
        for run, found in trend.context().items():
            cells = []
            for verdict in ("slower", "faster"):
                ratio = changes.loc[(changes["run"] == run) & (changes["verdict"] == verdict), "ratio"]
                span = f"{percent_more(ratio.min())} to {percent_more(ratio.max())}" if len(ratio) else "-"
                cells += [str(len(ratio)), span]
            what = "; ".join(f"{name} {after}, before {before}" for name, (before, after) in found.items())
            rows.append([str(run + 1), dates[run], *cells, what or "nothing that the files tell"])
        document.texts([">from run", "date", ">slower", ">by, %", ">faster", ">by, %", "what else changed"], rows)
    if len(changes) and with_points:
        document.texts([">from run", ">time, %", ">from", ">to", "point"], [
            [str(change.run + 1), *(percent_more(end, 2) for end in (change.ratio, change.low, change.high)),
             in_words(last.rows.loc[change.row], last.columns)] for change in changes.itertuples()])
    document.paragraph(f"{trend.points} points that at least three runs have measured, {len(changes)} changes. A change "
                       "is the mean of the runs from there on against those before, up to other changes; expected "
                       "share of wrong ones: 1 %. What else changed may be the cause, or not.")


def run(arguments: Arguments) -> int:
    trend = trend_of(arguments.operands, arguments.share("threshold", 0.01))
    if arguments.text("format") == "json":
        table = _table(trend)
        print(json.dumps({"product": str(trend.files[0].devices["name"].iloc[0]), "points": trend.points, **{
            name: json.loads(pd.DataFrame(of).to_json(orient="records"))
            for name, of in (("runs", table.attrs["runs"]), ("changes", table))}}, indent=1))
    else:
        _print(Document(str(arguments.text("format"))), trend, arguments.given("points"))
    return int((trend.changes.drop_duplicates("row", keep="last")["verdict"] == "slower").any())
