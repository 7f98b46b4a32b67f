"""history: many runs of one job over months: from which run on did a point's time change for good, and what else
did?"""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from . import verdicts
from .assumptions import scatter_of
from .errors import UsageError
from .estimates import LONG
from .options import Arguments
from .pairing import without_copies
from .pivots import point as in_words
from .results import Results, read
from .runs import estimates_of, print_spread
from .sheet import Document
from .statistics import Part, total, total_wide
from .units import percent_more
from .verdicts import Rule, Scatter, ratio_of

RUNS_LEAST = 3  # of a history, and of a point
CONTEXT = {"uuid": "unit", "host": "host", "driver": "driver", "toolkit": "toolkit", "vbios": "firmware", "ecc": "ECC",
           "host_kernel": "kernel", "": "commit"}  # of /devices; "": of the run


@dataclass
class Trend:
    """``files`` in the order of time; ``levels``: a row a run, its times over those of the last, mean over the points
    of both; ``points``: how many at least three runs have measured; ``changes``: a row a change, by run and then by row
    of the last file: row, run (from 0), ratio with interval, verdict."""

    files: list[Results]
    levels: pd.DataFrame
    points: int
    changes: pd.DataFrame


class _Material:
    """Estimates of the points of the last file (rows) in each run (columns), finished; NaN: not measured."""

    def __init__(self, files: list[Results]) -> None:
        last = files[-1].rows[files[-1].rows["repeat"] == 0]
        self.rows, self.estimates = last.index.to_numpy(), []
        for results, found in zip(files, estimates_of(files)):
            known = results.devices.get("uuid", [])
            self.estimates.append(found.assign(unit=known[0] if len(known) == 1 else "", predicted=False))
        self.log, self.error, self.dof = (np.stack([e[name].to_numpy(float) for e in self.estimates], 1)
                                          for name in ("log_seconds", "error", "dof"))
        self.units = [e["unit"].iloc[0] if len(e) else "" for e in self.estimates]
        self.scatter = scatter_of(str(files[0].devices["name"].iloc[0])) or Scatter()

    def ratio(self, rule: Rule, segments: pd.DataFrame) -> pd.DataFrame:
        """Of the mean of a segment's runs from `first` up to `end` to that of its others: variances of processes and
        runs average out, units are of both sides."""
        point, start, to, first, end = (segments[name].to_numpy() for name in ("point", "start", "to", "first", "end"))
        log, variance, dof = self.log[point], self.error[point] ** 2, self.dof[point]
        runs = np.arange(log.shape[1])
        there = ~np.isnan(log) & (runs >= start[:, None]) & (runs < to[:, None])
        inside = (runs >= first[:, None]) & (runs < end[:, None])
        scatter = self.scatter
        with np.errstate(divide="ignore", invalid="ignore"):  # a side without a run of a point: no ratio
            means, parts, counts = [], [], []
            for side in (there & ~inside, there & inside):
                n = side.sum(1)
                means.append(np.where(side, log, 0).sum(1) / n)
                is_short = np.exp(means[-1]) < LONG
                own = total(*(Part(np.where(side[:, run], variance[:, run], 0), dof[:, run]) for run in runs))
                run = Part(np.where(is_short, *scatter.run) / n, scatter.run_dof)
                parts.append([Part(own.variance / n**2, own.dof), run])
                counts.append(n)
            # Runs of unknown units are of units of their own. What a unit adds: the sum of the squares of the units'
            # weights.
            same = np.array([[a == b or bool(x) and x == y for b, y in enumerate(self.units)] for a,
                             x in enumerate(self.units)])
            weight = np.where(there, np.where(inside, 1 / counts[1][:, None], -1 / counts[0][:, None]), 0)
            owner = same.argmax(1)  # the first run of the same unit
            squares = np.square(weight @ (owner[:, None] == runs)).sum(1)
            is_short = np.exp(means[1]) < LONG
            unit = Part(np.where(is_short, *scatter.unit) * squares, scatter.unit_dof)
            parts[1][1] = total(parts[1][1], unit)
            sides = [total_wide(Part(np.zeros(len(point)), np.inf), total(*of)) for of in parts]
        return ratio_of(rule, means[1] - means[0], total(*sides)).set_axis(segments.index)

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


def _in_order(files: list[Results]) -> list[Results]:
    """The files of one product by their start; a run of which there are copies counts once."""
    files = without_copies(files)
    if len(files) < RUNS_LEAST:
        raise UsageError(f"a history needs at least {RUNS_LEAST} files, not {len(files)}")
    products = [(str(file.devices["name"].iloc[0]), str(file.devices["backend"].iloc[0])) if len(file.devices)
                else ("", "")
                for file in files]
    for number, (file, product) in enumerate(zip(files, products), 1):
        if not file.env("start"):
            raise UsageError(f"file {number} does not tell when it was measured")
        if product != products[0]:
            raise UsageError(f"file {number} is of another product than the first: a history is of one")
    return sorted(files, key=lambda file: str(file.env("start")))  # ISO 8601 in UTC: sorts as a text


def trend_of(paths: Any, threshold: float = 0.01) -> Trend:
    """The changes of at least `threshold` by circular binary segmentation (Olshen et al. 2004).

    The runs of a point that stand out most from its others are another part if `verdicts.decide` calls them, over all
    points; then the parts are divided in the same way. p is multiplied by the number of possible parts. A change is the
    mean of the runs from there on, up to the next change, over that of those before.
    """
    files = _in_order([one if isinstance(one, Results) else read(one) for one in paths])
    material, rule, runs = _Material(files), Rule(threshold), len(files)
    points = np.flatnonzero((~np.isnan(material.log)).sum(1) >= RUNS_LEAST)
    now, whole = pd.DataFrame({"point": points, "start": 0, "to": runs}), []
    while len(now):
        now = material.stand_out(now)
        ratios = material.ratio(rule, now)
        ratios["p"] = np.minimum(1, ratios["p"] * now["choices"]).where(now["choices"] > 0)
        differ = np.isin(verdicts.decide(rule, ratios), ["faster", "slower"])
        whole.append(now.loc[~differ, ["point", "start", "to"]])
        parts = [now[differ][["point", left, right]].set_axis(["point", "start", "to"], axis=1)
                 for left, right in (("start", "first"), ("first", "end"), ("end", "to"))]
        now = pd.concat(parts, ignore_index=True)
        now = now[now["start"] < now["to"]].reset_index(drop=True)
    segments = pd.concat(whole, ignore_index=True).sort_values(["point", "start"]) if whole else now
    before = segments.groupby("point").shift()
    after = segments[before["start"].notna()].assign(first=lambda s: s["start"], end=lambda s: s["to"])
    after["start"] = before["start"].dropna().astype(int)
    changes = material.ratio(rule, after) if len(after) else pd.DataFrame(columns=["ratio", "low", "high", "log_ratio"])
    changes = changes.assign(row=material.rows[after["point"].to_numpy(int)], run=after["first"].to_numpy(int),
                             verdict=np.where(changes["log_ratio"] < 0, "faster", "slower"))
    levels, last = [], material.estimates[-1]
    for e in material.estimates:
        levels.append(verdicts.group(rule, last, e, (material.scatter, material.scatter)))
    return Trend(files, pd.DataFrame(levels), len(points), changes.sort_values(["run", "row"], ignore_index=True))


def context(before: Results, after: Results) -> list[tuple[str, str, str]]:
    """What differs between a run and the one before: name, value before, value after."""
    def values(results: Results) -> list[str]:
        return [str(results.devices[name].iloc[0]) if name in results.devices and len(results.devices)
                else results.env("commit") or ""
                if not name else "" for name in CONTEXT]

    return [(name, x, y) for name, x, y in zip(CONTEXT.values(), values(before), values(after)) if x and y and x != y]


def common(trend: Trend) -> list[str]:
    """The names of what differs at every run with changes."""
    names = [[name for name, _, _ in context(trend.files[run - 1], trend.files[run])]
             for run in trend.changes["run"].unique()]
    return [name for name in CONTEXT.values() if names and all(name in of for of in names)]


def history(*paths: Any, threshold: float = 0.01) -> pd.DataFrame:
    """The changes of the points of the last file, by run: run (1: the first), date, kernel and the axes of the point,
    ratio of the time with its 95 % interval low, high, verdict. ``attrs["runs"]``: a row a run, with its times over
    those of the last."""
    return history_of(trend_of(paths, threshold))


def history_of(trend: Trend) -> pd.DataFrame:
    """The frame that ``history`` returns."""
    last, rows = trend.files[-1], trend.changes["row"]
    names = [name for name in last.columns.axes() if last.rows[name].nunique(dropna=False) > 1]
    about = last.rows.loc[rows, ["id", "kernel", *names]].reset_index(drop=True)
    dates = [file.env("start") for file in trend.files]
    table = pd.concat([pd.DataFrame({"run": trend.changes["run"] + 1,
                                     "date": [dates[run] for run in trend.changes["run"]]}), about,
                       trend.changes[["ratio", "low", "high", "verdict"]]], axis=1)
    table.attrs["runs"] = trend.levels.assign(date=dates,
                                              file=[str(file.path) for file in trend.files]).to_dict("records")
    return table


# ---- The command ---------------------------------------------------------------------------------------------------


def _date(results: Results) -> str:
    return (results.env("start") or "")[:16].replace("T", " ")


def _print_runs(document: Any, trend: Trend) -> None:
    levels = trend.levels[["ratio", "low", "high"]].copy()
    levels.iloc[-1] = float("nan")
    rows = []
    for run, (file, level) in enumerate(zip(trend.files, levels.itertuples(index=False)), 1):
        devices = file.devices
        rows.append([str(run), _date(file), str(devices["uuid"].iloc[0])[:12] if len(devices) == 1 and "uuid" in devices
                     else "several", str(devices["driver"].iloc[0]) if "driver" in devices and len(devices) else "",
                     (file.env("commit") or "")[:12], *(percent_more(end, 2) for end in level)])
    document.texts([">run", "date", "unit", "driver", "commit", ">time against the last, %", ">from", ">to"], rows)


def _print_changes(document: Any, trend: Trend) -> None:
    rows = []
    for run, its in trend.changes.groupby("run"):
        cells = []
        for verdict in ("slower", "faster"):
            ratio = its.loc[its["verdict"] == verdict, "ratio"]
            cells += [str(len(ratio)), f"{percent_more(ratio.min())} to {percent_more(ratio.max())}" if len(ratio)
                      else "-"]
        what = "; ".join(f"{name} {y}, before {x}" for name, x, y in context(trend.files[run - 1], trend.files[run]))
        rows.append([str(run + 1), _date(trend.files[run]), *cells, what or "nothing that the files tell"])
    document.texts([">from run", "date", ">slower", ">by, %", ">faster", ">by, %", "what else changed"], rows)


def _print_points(document: Any, trend: Trend) -> None:
    last = trend.files[-1]
    document.texts([">from run", ">time, %", ">from", ">to", "point"],
                   [[str(change.run + 1), *(percent_more(end, 2) for end in (change.ratio, change.low, change.high)),
                     in_words(last.rows.loc[change.row], last.columns)] for change in trend.changes.itertuples()])


def run(arguments: Arguments) -> int:
    document = Document(str(arguments.text("format")))
    if arguments.given("spread"):
        if arguments.text("format") == "json":
            raise UsageError("history --spread prints Markdown or LaTeX")
        files = without_copies([read(path) for path in arguments.operands])
        if len(files) < 2:
            raise UsageError("history --spread takes several files, of the same job")
        print_spread(document, files)
        return 0
    trend = trend_of(arguments.operands, arguments.share("threshold", 0.01))
    changes = trend.changes
    code = int((changes.drop_duplicates("row", keep="last")["verdict"] == "slower").any())
    if arguments.text("format") == "json":
        table = history_of(trend)
        print(json.dumps({"product": str(trend.files[0].devices["name"].iloc[0]), "points": trend.points, **{
            name: json.loads(pd.DataFrame(of).to_json(orient="records"))
            for name, of in (("runs", table.attrs["runs"]), ("changes", table.assign(run=table["run"])))}}, indent=1))
        return code
    document.heading(1, f"History of {trend.files[0].devices['name'].iloc[0]}")
    _print_runs(document, trend)
    if len(changes):
        document.heading(2, f"Changes at {len(changes)} places")
        _print_changes(document, trend)
        if arguments.given("points"):
            _print_points(document, trend)
    document.paragraph(f"{trend.points} points that at least three runs have measured, {len(changes)} changes. A change "
                       "is the mean of the runs from there on against those before, up to other changes; expected "
                       "share of wrong ones: 1 %. What else changed may be the cause, or not.")
    return code
