"""Tables of single points: predictions against measurements, repetitions of canaries, and samples."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..comparison import knows_addresses
from ..curves import CURVES_MAX
from ..directives import Skipped
from ..frames import axes, is_text
from ..laws import number, word
from .rows import measured, remark, words

NEAR = 1.15   # the factor of the band that the figure draws
CLASSES = ("addresses unknown: lower bound", "host link", "addresses known")
POINTS_MAX = 8  # of a device, with their samples


def predicted(frame: pd.DataFrame) -> pd.DataFrame:
    """predicted, measured (ms), class (whether the model knows the addresses; host link): measured CUDA points with a
    predicted time. Later classes are drawn on top."""
    points = measured(frame)
    points = points[(word(points, "backend") == "cuda") & (number(points, "predicted_time") > 0)
                    & (number(points, "time_median") > 0)]
    if points.empty:
        raise Skipped("no point has a predicted time")
    kind = pd.Series(knows_addresses(points), points.index).astype(int) * 2
    kind = kind.mask(word(points, "roof").isin(["link_h2d", "link_d2h"]), 1).sort_values(kind="stable")
    points = points.loc[kind.index]
    made = points[["source", "kernel"]].assign(
        predicted=1e3 * points["predicted_time"], measured=1e3 * points["time_median"],
        **{"class": kind.map(CLASSES.__getitem__)})
    known = made[kind == 2]
    near = np.abs(np.log(known["measured"] / known["predicted"])) <= np.log(NEAR)
    return remark(made, [f"Of {len(known)} points with known addresses, {near.sum()} are within 15 % of the prediction"
                         if len(known) else ""])


def canaries(frame: pd.DataFrame) -> pd.DataFrame:
    """order, quantity (time, SM clock, power), device, change, change_low, change_high (% from the point's first
    repetition on this device). With more curves than a panel can show, a curve is the median over devices."""
    points = frame[(number(frame, "canary") == 1) & (frame["status"] == "ok") & (word(frame, "source") != "")]
    points, parts = points.sort_values("repeat", kind="stable").assign(device=number(points, "device").fillna(-1)), []
    on_device = ["source", "file_number", "device", "id"]
    turn = points.groupby(on_device).cumcount()
    for quantity, columns in (("time", ("time_median", "time_ci_low", "time_ci_high")), ("SM clock", ("sm_clock",) * 3),
                              ("power", ("power",) * 3)):
        own, low, high = (number(points, column) for column in columns)
        base = own.groupby([points[name] for name in on_device]).transform(lambda values: values.iloc[0])
        of_time = 1.0 if quantity == "time" else np.nan  # others have no interval
        parts.append(points[["source", "kernel", "id", "device"]].assign(
            turn=turn, quantity=quantity, order=points["repeat"], change=100 * (own / base - 1),
            change_low=100 * (low / base - of_time), change_high=100 * (high / base - of_time))[(base > 0) & (own > 0)])
    made = pd.concat(parts, ignore_index=True)
    if made.empty:
        raise Skipped("no canary was repeated")
    throttled = (word(points, "throttle") != "").sum()
    said = [f"{throttled} of {len(points)} repetitions while the clock was throttled"]
    if points.groupby("source").apply(lambda of: len(of[["kernel", "device"]].drop_duplicates())).max() > CURVES_MAX:
        change = made.groupby(["source", "kernel", "id", "quantity", "turn"], sort=False)
        made = change.agg(order=("order", "median"), low=("change", "min"), high=("change", "max"),
                          change=("change", "median")).reset_index().rename(
            columns={"low": "change_low", "high": "change_high"}).assign(device=-1.0)
        made.attrs["interval"] = "change_low change_high the_range_over_devices"
        said.insert(0, f"Each point is the median over {points['device'].nunique()} devices, each relative to its own first "
                       "repetition")
    return remark(made, said)


# ---- Samples -------------------------------------------------------------------------------------------------------


def point_names(rows: pd.DataFrame) -> pd.Series:
    """`copy stride 2`: kernel and axes in which the rows differ; the kernel alone if they do not."""
    named = [name for name in ("kernel", *axes(rows)) if rows[name].nunique(dropna=False) > 1]
    parts = {name: words(rows[name], rows.attrs["columns"].get(name)) for name in named}
    for name in named:
        if not is_text(rows[name]):
            parts[name] = (name + " " + parts[name]).where(rows[name].notna(), "")
    joined = [" ".join(filter(None, point)) for point in zip(*parts.values())]
    return pd.Series(joined, rows.index, dtype=object).mask(lambda names: names == "", rows["kernel"]) if named \
        else rows["kernel"]


def of_points(frame: pd.DataFrame) -> Iterator[tuple[dict[str, str], np.ndarray[Any, Any]]]:
    """source, kernel and point of each row, with its samples in seconds, ascending. Raises Skipped without samples, or
    with too many points to distinguish."""
    rows = measured(frame)
    if not (rows["sample_count"] > 0).any():
        raise Skipped("the selected points have no samples")
    if (rows.groupby("source").size() > POINTS_MAX).any():
        raise Skipped(f"select at most {POINTS_MAX} points per device with --where")
    needed = rows[["source", "kernel", "file_number", "sample_offset", "sample_count"]].assign(point=point_names(rows))
    for row in needed[rows["sample_count"] > 0].to_dict("records"):
        first, count = int(row.pop("sample_offset")), int(row.pop("sample_count"))
        taken = frame.attrs["results"][row.pop("file_number")].samples["seconds"].to_numpy()[first:first + count]
        yield row, np.sort(taken)


def samples(frame: pd.DataFrame) -> pd.DataFrame:
    """microseconds, deviation (% from the point's median), share (%), decile ("yes": to be marked), point."""
    made = []
    for named, seconds in of_points(frame):
        at, count = np.arange(1, len(seconds) + 1), len(seconds)
        made.append(pd.DataFrame({
            "microseconds": 1e6 * seconds, "deviation": 100 * (seconds / np.median(seconds) - 1),
            "share": 100 * at / count,
            "decile": np.where(10 * at // count > 10 * (at - 1) // count, "yes", "no"), **named}))
    return pd.concat(made, ignore_index=True)
