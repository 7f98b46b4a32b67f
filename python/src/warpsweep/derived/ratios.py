"""Two files compared point by point: speed-ups of the second over the first, by family and over two axes."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..comparing import family_table, prepare
from ..comparison import Comparison
from ..directives import Skipped
from ..errors import UsageError
from ..frames import DTYPE_BYTES, Files, is_text
from ..verdicts import group
from .rows import remark, words

VERDICTS = ("faster", "slower", "same", "uncertain")


def ratios(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """time (s, in the first), difference, difference_low, difference_high (% that the second takes more, 95 %
    interval), speedup (of the second over the first), speedup_low, speedup_high, rank (1: the least speed-up), mean
    (the geometric mean of all), verdict, and the axes of the point."""
    found = compared(frame, options)
    judged = found.ratios["verdict"].isin(VERDICTS)
    own, mean = found.ratios[judged], group(found.rule, found.a, found.b, found.scatter)
    first = found.files[0]
    axes = [name for name in first.columns if first.columns.role(name) == "axis" and name in first.rows]
    rows = first.rows.loc[found.pairs.loc[judged, "a"], ["kernel", *axes]]
    made = pd.concat([rows.reset_index(drop=True), pd.DataFrame({
        "time": found.a["seconds"][judged], "difference": 100 * (own["ratio"] - 1),
        "difference_low": 100 * (own["low"] - 1), "difference_high": 100 * (own["high"] - 1),
        "speedup": 1 / own["ratio"], "speedup_low": 1 / own["high"], "speedup_high": 1 / own["low"],
        "verdict": own["verdict"], "mean": 1 / mean["ratio"]}).reset_index(drop=True)], axis=1)
    made["rank"] = made["speedup"].rank(method="first")
    made.attrs["columns"] = first.columns
    interval = f", 95 % interval {1 / mean['high']:.4g} to {1 / mean['low']:.4g}" if mean["low"] == mean["low"] else ""
    return remark(made, [f"Geometric mean of the speed-ups {1 / mean['ratio']:.4g}{interval}", verdicts(found)])


def again(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """The same, of two runs of one device: differences of two devices are no scatter of a measurement."""
    if len({one.device for one in frame.attrs["groups"].values()}) > 1:
        raise Skipped("it needs two runs of one device, not of two: see speedup")
    return ratios(frame, options)


def families(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """speedup, speedup_low, speedup_high (geometric means), verdict, place: a row for each family and one for all."""
    found = compared(frame, options)
    means = family_table(found)
    means = means[means["ratio"] > 0]
    made = pd.DataFrame({"kernel": means["kernel"], "verdict": means["verdict"], "speedup": 1 / means["ratio"],
                         "speedup_low": 1 / means["ratio_high"], "speedup_high": 1 / means["ratio_low"],
                         "place": np.arange(len(means) - 1.0, -1, -1)})
    return remark(made, [verdicts(found)])


def heat(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """across, up (positions from 0, in the order of values), across_name, up_name, speedup (geometric mean), points:
    the cells of the two axes of `--heat`, a panel for each family unless families are an axis."""
    named = options.get("heat", "")
    if not named:
        raise Skipped("it needs --heat AXIS,AXIS")
    points = ratios(frame, options)
    chosen = named.split(",")
    if len(chosen) != 2 or chosen[0] == chosen[1] or not set(chosen) <= set(points):
        raise Skipped(f"--heat {named}: expected two axes of points that both files have")
    rows = points[(points[chosen].notna() & (points[chosen] != "")).all(axis=1) & (points["speedup"] > 0)]
    if rows.empty:
        raise Skipped(f"--heat {named}: no point of both files has both axes")
    panel = pd.Series("all families", rows.index) if "kernel" in chosen else rows["kernel"]
    cells = pd.DataFrame({"kernel": panel, "log": np.log(rows["speedup"]),
                          "across": order(rows[chosen[0]]), "up": order(rows[chosen[1]]),
                          "across_name": words(rows[chosen[0]], points.attrs["columns"].unit(chosen[0])),
                          "up_name": words(rows[chosen[1]], points.attrs["columns"].unit(chosen[1]))})
    means = cells.groupby([name for name in cells if name != "log"], sort=False)["log"].agg(["mean", "size"])
    made = means.assign(speedup=np.exp(means.pop("mean")), points=means.pop("size")).reset_index()
    return remark(made, [points.attrs["remark"]])


def order(values: pd.Series) -> pd.Series:
    """The position of each value among the distinct ones: types by size, numbers by size, other words by letter."""
    distinct = sorted(set(values), key=lambda value: (DTYPE_BYTES.get(value, 0), value) if is_text(values) else value)
    return values.map({value: float(place) for place, value in enumerate(distinct)})


_last: list[tuple[Files, str, Comparison]] = []  # the comparison that the last figure drew: three draw the same one


def compared(frame: pd.DataFrame, options: Mapping[str, str]) -> Comparison:
    """Both files of the frame. Files whose times mean different things are no pair."""
    files, where = frame.attrs["results"], options.get("where", "")
    if len(files) != 2:
        raise Skipped("it needs two files")
    if not _last or _last[0][0] is not files or _last[0][1] != where:
        try:
            _last[:] = [(files, where, prepare(*files, where=[one for one in where.split("\n") if one]))]
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
