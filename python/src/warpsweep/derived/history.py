"""Many runs of one job: times against the last run, and what else changed where they changed for good."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..directives import Skipped
from ..errors import UsageError
from ..findings import place_text
from ..frames import frame as frame_of
from ..frames import points
from ..histories import Trend, common, context, trend_of
from .rows import real, remark

PATTERNS = 3  # panels of points, besides that of all
MARKS = 4     # changes marked in a panel: the largest
SHOWN = {"unit": 12, "commit": 12}  # characters that tell values apart; 40 of others
TIMES = {"change": "time_median", "change_low": "time_ci_low", "change_high": "time_ci_high"}


def history(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """order (of the runs), change, change_low, change_high (% against the last run), quantity (the panel), change_1 to
    change_4 (runs with a lasting change) and change_1_name ...: the mean over all points, and a point for each pattern
    of changes. ``attrs["title"]`` tells what was found."""
    files = frame.attrs["results"]
    if len(files) < 3:
        raise Skipped("it needs three files or more")
    if options.get("where"):
        raise Skipped("it shows all points, without --where")
    try:
        trend = trend_of(files)
    except UsageError as error:
        raise Skipped(str(error)) from error
    last = points(frame_of(trend.files[-1], canaries=True))  # with its labels of rows
    changes = trend.changes
    changed = last.loc[changes["row"].unique()]
    parts, notes = [level(trend)], [told(trend)]
    for row, count in (shown := patterns(changes))[:PATTERNS]:
        point = last.loc[row]
        place = place_text(changed, point)
        panel = point["kernel"] + (f" {place}" if place else "")
        own = changes[changes["row"] == row]
        name = [f"{100 * (one.ratio - 1):+.1f} ± {50 * (one.high - one.low):.1f}" for one in own.itertuples()]
        runs = [run_of(file.rows, point["id"]) for file in trend.files]
        times = pd.DataFrame(runs).assign(order=np.arange(1.0, len(runs) + 1)).dropna(subset=["change"])
        times[list(TIMES)] = 100 * (times[list(TIMES)] / point["time_median"] - 1)
        parts.append(marked(times.assign(quantity=panel), own["run"], name, own["log_ratio"].abs()))
        notes.append(f"{panel}: {count} point" + (" changes in this way" if count == 1 else "s change in the same way"))
    if len(shown) > PATTERNS:
        notes.append(f"{len(shown) - PATTERNS} other patterns of changes are not drawn")
    made = pd.concat(parts, ignore_index=True).assign(kernel="times")
    made.attrs["title"] = title(trend)
    return remark(made, notes, ". ")


def patterns(changes: pd.DataFrame) -> list[tuple[Any, int]]:
    """Points that change at the same runs in the same directions: the row that changes most, and how many they are."""
    points = changes.groupby("row", sort=False).agg(
        way=("run", lambda runs: tuple(zip(runs, changes.loc[runs.index, "verdict"]))),
        most=("log_ratio", lambda logs: logs.abs().max()))
    if points.empty:
        return []
    points = points.sort_values("most", kind="stable")  # of equal ones the later row
    ways = points.reset_index().groupby("way", sort=False).agg(
        row=("row", "last"), most=("most", "last"), count=("row", "size"))
    ways = ways.sort_values("most", ascending=False, kind="stable")
    return list(zip(ways["row"], ways["count"]))


def run_of(rows: pd.DataFrame, name: str) -> dict[str, float]:
    """The times of a point in a run; NaN where it has none."""
    own = rows[(rows["id"] == name) & (rows["repeat"] == 0) & (real(rows, "time_median") > 0)]
    return {end: float(own[column].iloc[0]) if len(own) else np.nan for end, column in TIMES.items()}


def level(trend: Trend) -> pd.DataFrame:
    """The mean over all points; where the machine's own properties changed."""
    levels = 100 * (trend.levels[["ratio", "low", "high"]] - 1).set_axis(list(TIMES), axis=1).reset_index(drop=True)
    levels.iloc[-1] = [0, np.nan, np.nan]
    levels = levels.assign(order=np.arange(1.0, len(levels) + 1), quantity=f"all {trend.points} points, mean")
    count = trend.changes.groupby("run").size()
    names = [", ".join(name for name, _, _ in differences(trend, run)) or "unknown" for run in count.index]
    return marked(levels.dropna(subset=["change"]), count.index, names, count)


def marked(rows: pd.DataFrame, runs: pd.Index, names: list[str], sizes: pd.Series) -> pd.DataFrame:
    """With the runs of the largest changes, counted from 1, and their names."""
    marks = pd.DataFrame({"run": list(runs), "name": names, "size": list(sizes)}).nlargest(MARKS, "size").sort_index()
    for number in range(MARKS):
        run, name = marks.loc[marks.index[number], ["run", "name"]] if number < len(marks) else (np.nan, "")
        rows[f"change_{number + 1}"], rows[f"change_{number + 1}_name"] = run + 1.0, name
    return rows


def differences(trend: Trend, run: int) -> list[tuple[str, str, str]]:
    """What else differs between a run and the one before: name, before, after."""
    return context(trend.files[run - 1], trend.files[run])


def told(trend: Trend) -> str:
    """`From run 7: unit GPU-6def4e2a; run 9: driver ...`: what else changed at each run with changes."""
    parts = []
    for run in sorted(set(trend.changes["run"])):
        new = ", ".join(f"{name} {after[:SHOWN.get(name, 40)]}" for name, _, after in differences(trend, run))
        parts.append(f"run {run + 1}: {new or 'nothing else that the files tell'}")
    return "From " + "; ".join(parts) if parts else ""


def title(trend: Trend) -> str:
    """How many points change, at how many runs, by how much, and what else always changed there."""
    changes, runs = trend.changes, len(trend.files)
    if changes.empty:
        return f"No lasting change of {trend.points} points over {runs} runs"
    most = changes.iloc[int(changes["log_ratio"].abs().argmax())]
    alike = " and ".join(common(trend))
    ratio, low, high = (100 * (most[name] - 1) for name in ("ratio", "low", "high"))
    return (f"{changes['row'].nunique()} of {trend.points} points change lastingly, at {changes['run'].nunique()} of "
            f"{runs} runs, by up to {ratio:+.1f} % ({low:.1f} to {high:.1f})"
            + (f", each time with another {alike}" if alike else ""))
