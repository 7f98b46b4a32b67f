"""Devices of one file; speed-ups of a second file over the first, by point, by family and over two axes; and many runs
of one job: times against the last run, and what else changed where they changed for good."""
from __future__ import annotations

import numpy as np
import pandas as pd

from ..comparing import family_table, prepare
from ..comparison import Comparison
from ..directives import Skipped
from ..errors import UsageError
from ..findings import place_text
from ..fleet import LEAST, fleets
from ..figure import in_order
from ..frames import Files, frame as frame_of, points
from ..histories import Trend, trend_of
from ..pairing import same_run
from ..pivots import heading
from ..reports import plural
from ..verdicts import group
from . import remark, words

PATTERNS = 3  # panels of points, besides that of all
MARKS = 4     # changes marked in a panel: the largest
SHOWN = {"unit": 12, "commit": 12}  # characters that tell values apart; 40 of others
TIMES = {"change": "time_median", "change_low": "time_ci_low", "change_high": "time_ci_high"}
VERDICTS = ("faster", "slower", "same", "uncertain")
NONE = "no three devices of one model measured the same points"


def fleet(frame: pd.DataFrame) -> pd.DataFrame:
    """rank (1: slowest), effect, effect_low, effect_high (% slower than the median device, 5th to 95th), z, judged."""
    files = frame.attrs["results"]
    if len(files) != 1:
        raise Skipped("it needs one file, not several")
    if files[0].devices["name"].value_counts().max() < LEAST:  # the samples need not be read
        raise Skipped(NONE)
    made, notes = [], []
    for one in (one for one in fleets(files[0]) if one.points):
        known = one.devices.assign(rank=np.arange(1.0, len(one.devices) + 1)).dropna(subset=["effect"])
        percent = 100 * np.expm1(known[["effect", "low", "high"]].astype(float))
        made.append(percent.set_axis(["effect", "effect_low", "effect_high"], axis=1).assign(
            source=one.product, kernel="fleet", rank=known["rank"], z=known["z"],
            judged=known["outlier"].map({True: "outlier", False: "like the rest"})))
        count = int(one.devices["outlier"].sum())
        notes.append(f"{len(one.devices)} GPUs, {one.nodes} nodes, {one.points} points, {plural(count, 'outlier')}; "
                     "bars: 5th to 95th percentile of points")
    if not made:
        raise Skipped(NONE)
    return remark(pd.concat(made, ignore_index=True), notes)


def ratios(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """time (s, in the first), difference (% that the second takes more) and speedup with _low, _high (95 % intervals),
    rank (1: the least speed-up), mean (the geometric mean of all), verdict, and the axes of the point."""
    found = compared(frame, where)
    judged = found.ratios["verdict"].isin(VERDICTS)
    own, mean = found.ratios[judged], group(found.rule, found.a, found.b, found.scatter)
    first = found.files[0]
    axes = [name for name in first.columns.axes() if name in first.rows]
    made = first.rows.loc[found.pairs.loc[judged, "a"], ["kernel", *axes]].reset_index(drop=True)
    made["time"], made["verdict"] = found.a["seconds"][judged].to_numpy(), own["verdict"].to_numpy()
    for end, low, high in (("", "ratio", "ratio"), ("_low", "low", "high"), ("_high", "high", "low")):
        made[f"difference{end}"], made[f"speedup{end}"] = 100 * (own[low].to_numpy() - 1), 1 / own[high].to_numpy()
    made["rank"], made["mean"] = made["speedup"].rank(method="first"), 1 / mean["ratio"]
    made.attrs["columns"] = first.columns
    interval = f", 95 % interval {1 / mean['high']:.4g} to {1 / mean['low']:.4g}" if mean["low"] == mean["low"] else ""
    return remark(made, [f"Geometric mean of the speed-ups {1 / mean['ratio']:.4g}{interval}", verdicts(found)])


def again(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """The same, of two runs of one device: differences of two devices are no scatter of a measurement."""
    if len({one.device for one in frame.attrs["groups"].values()}) > 1:
        raise Skipped("it needs two runs of one device, not of two: see speedup")
    return ratios(frame, where)


def families(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """speedup, speedup_low, speedup_high (geometric means), verdict, place: a row for each family and one for all."""
    found = compared(frame, where)
    means = family_table(found)
    means = means[means["ratio"] > 0]
    made = pd.DataFrame({"kernel": means["kernel"], "verdict": means["verdict"], "speedup": 1 / means["ratio"],
                         "speedup_low": 1 / means["ratio_high"], "speedup_high": 1 / means["ratio_low"],
                         "place": np.arange(len(means) - 1.0, -1, -1)})
    return remark(made, [verdicts(found)])


def heat(frame: pd.DataFrame, where: tuple[str, ...], heat: str) -> pd.DataFrame:
    """across, up, across_name, up_name, speedup (geometric mean), points: the cells of the axes of `--heat`."""
    if not heat:
        raise Skipped("it needs --heat AXIS,AXIS")
    every, chosen = ratios(frame, where), heat.split(",")
    if not set(chosen) <= set(every):
        raise Skipped(f"--heat {heat}: expected two axes of points that both files have")
    rows = every[(every[chosen].notna() & (every[chosen] != "")).all(axis=1) & (every["speedup"] > 0)]
    if rows.empty:
        raise Skipped(f"--heat {heat}: no point of both files has both axes")
    cells = pd.DataFrame({"kernel": "all families" if "kernel" in chosen else rows["kernel"]}, index=rows.index)
    for side, axis in zip(("across", "up"), chosen):
        cells[side] = rows[axis].map({value: float(place) for place, value in enumerate(in_order(axis, rows[axis]))})
        cells[f"{side}_name"] = words(rows[axis], every.attrs["columns"].get(axis))
    means = np.log(rows["speedup"]).groupby([cells[name] for name in cells], sort=False).agg(["mean", "size"])
    made = means.assign(speedup=np.exp(means.pop("mean")), points=means.pop("size")).reset_index()
    for label, axis in zip(("xlabel", "ylabel"), chosen):
        made.attrs[label] = f"{heading(axis)} ({every.attrs['columns'].unit(axis) or 'name'})"
    return remark(made, [every.attrs["remark"]])


_last: list[tuple[Files, tuple[str, ...], Comparison]] = []  # that of the last figure: three draw the same one


def compared(frame: pd.DataFrame, where: tuple[str, ...]) -> Comparison:
    """Both files of the frame. Files whose times mean different things are no pair."""
    files = frame.attrs["results"]
    if len(files) != 2:
        raise Skipped("it needs two files")
    if same_run(*files):
        raise Skipped("both files are of the same run")
    if not _last or _last[0][0] is not files or _last[0][1] != where:
        try:
            _last[:] = [(files, where, prepare(*files, where=list(where)))]
        except UsageError as error:
            raise Skipped(str(error)) from error
    found = _last[0][2]
    if not found.ratios["verdict"].isin(VERDICTS).any():
        raise Skipped("no point was measured in both files")
    return found


def verdicts(found: Comparison) -> str:
    """`95 % intervals; 12 faster, 0 slower, ...`"""
    count = found.ratios["verdict"].value_counts()
    return "95 % intervals; " + ", ".join(f"{count.get(verdict, 0)} {verdict}" for verdict in VERDICTS)


def history(frame: pd.DataFrame, where: tuple[str, ...]) -> pd.DataFrame:
    """order (of the runs), change, change_low, change_high (% against the last run), quantity (the panel): the mean
    over all points, and a point for each pattern of changes; ``attrs["marks"]``: the runs of the largest lasting
    changes."""
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
