"""Many runs of one job: times against the last run, and what else changed where they changed for good."""
from __future__ import annotations

import numpy as np
import pandas as pd

from ..directives import Skipped
from ..errors import UsageError
from ..findings import place_text
from ..frames import frame as frame_of
from ..frames import points
from ..histories import Trend, trend_of
from . import remark

PATTERNS = 3  # panels of points, besides that of all
MARKS = 4     # changes marked in a panel: the largest
SHOWN = {"unit": 12, "commit": 12}  # characters that tell values apart; 40 of others
TIMES = {"change": "time_median", "change_low": "time_ci_low", "change_high": "time_ci_high"}


def history(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """order (of the runs), change, change_low, change_high (% against the last run), quantity (the panel): the mean over all
    points, and a point for each pattern of changes; ``attrs["marks"]``: the runs of the largest lasting changes."""
    if len(frame.attrs["results"]) < 3:
        raise Skipped("it needs three files or more")
    if where:
        raise Skipped("it shows all points, without --where")
    try:
        trend = trend_of(frame.attrs["results"])
    except UsageError as error:
        raise Skipped(str(error)) from error
    files, changes = trend.files, trend.changes
    last = points(frame_of(files[-1], canaries=True))  # with its labels of rows
    context = trend.context()
    told = {run: ", ".join(f"{name} {after[:SHOWN.get(name, 40)]}" for name, (_, after) in found.items())
            or "nothing else that the files tell" for run, found in context.items()}
    notes = ["From " + "; ".join(f"run {run + 1}: {text}" for run, text in told.items()) if told else ""]
    levels = 100 * (trend.levels[["ratio", "low", "high"]] - 1).set_axis(list(TIMES), axis=1).reset_index(drop=True)
    levels.iloc[-1] = [0, np.nan, np.nan]  # the last run against itself
    levels = levels.assign(order=np.arange(1.0, len(levels) + 1), quantity=f"all {trend.points} points, mean")
    count = changes.groupby("run").size()
    parts, marks = [levels.dropna(subset=["change"])], {levels["quantity"].iloc[0]: [
        (run + 1.0, ", ".join(context[run]) or "unknown") for run in count.nlargest(MARKS).index]}
    shown = patterns(changes)
    for row, count in shown.head(PATTERNS).items():
        point, own = last.loc[row], changes[changes["row"] == row]
        panel = f"{point['kernel']} {place_text(last.loc[changes['row'].unique()], point)}".strip()
        times = pd.concat([file.rows[(file.rows["id"] == point["id"]) & (file.rows["repeat"] == 0)
                                     & (file.rows["time_median"] > 0)].head(1).assign(order=float(at))
                           for at, file in enumerate(files, 1)], ignore_index=True)
        times = times.assign(quantity=panel, **{end: 100 * (times[name] / point["time_median"] - 1)
                                                for end, name in TIMES.items()})
        own = own.loc[own["log_ratio"].abs().nlargest(MARKS).index]
        marks[panel] = [(one.run + 1.0, f"{100 * (one.ratio - 1):+.1f} ± {50 * (one.high - one.low):.1f}")
                        for one in own.itertuples()]
        parts.append(times[[*TIMES, "order", "quantity"]])
        notes.append(f"{panel}: {count} point" + (" changes in this way" if count == 1 else "s change in the same way"))
    if len(shown) > PATTERNS:
        notes.append(f"{len(shown) - PATTERNS} other patterns of changes are not drawn")
    made = pd.concat(parts, ignore_index=True).assign(kernel="times")
    made.attrs.update(title=title(trend), marks=marks)
    return remark(made, notes, ". ")


def patterns(changes: pd.DataFrame) -> pd.Series:
    """Points that change at the same runs in the same directions: how many they are, by the row that changes most."""
    way = changes["run"].astype(str) + changes["verdict"]
    ways = way.groupby(changes["row"]).agg(tuple).rename("way").to_frame()
    ways["most"] = changes["log_ratio"].abs().groupby(changes["row"]).max()
    ways = ways.sort_values("most", kind="stable").reset_index().groupby("way", sort=False).agg(
        row=("row", "last"), most=("most", "last"), count=("row", "size"))
    return ways.sort_values("most", ascending=False, kind="stable").set_index("row")["count"]


def title(trend: Trend) -> str:
    """How many points change, at how many runs, by how much, and what else always changed there."""
    changes, runs = trend.changes, len(trend.files)
    if changes.empty:
        return f"No lasting change of {trend.points} points over {runs} runs"
    most = changes.iloc[int(changes["log_ratio"].abs().argmax())]
    context = list(trend.context().values())
    alike = " and ".join(name for name in context[0] if all(name in found for found in context))
    ratio, low, high = (100 * (most[name] - 1) for name in ("ratio", "low", "high"))
    return (f"{changes['row'].nunique()} of {trend.points} points change lastingly, at {changes['run'].nunique()} of "
            f"{runs} runs, by up to {ratio:+.1f} % ({low:.1f} to {high:.1f})"
            + (f", each time with another {alike}" if alike else ""))
