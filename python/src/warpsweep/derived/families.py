"""Tables of families (best points, what those wait for, the roofline, steps from one variant to another), and of points
(predictions against measurements)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from .. import findings
from ..columns import reals, texts
from ..condition import is_transient
from ..directives import Skipped
from ..directives import parts as parts_of
from ..rates import FAR_ABOVE
from ..rows import (
    candidates,
    interval,
    is_above_roof,
    knows_addresses,
    meets,
    quantities,
    roof,
    with_description,
)
from ..time_model import WRONG, within
from ..units import plural
from .marks import measured, places, point_names, remark

STALLS = (
    "long scoreboard",
    "short scoreboard",
    "barrier",
    "mio throttle",
    "lg throttle",
    "math pipe throttle",
    "wait",
    "not selected",
    "drain",
)
PARTS_SHOWN = 7  # of a bar, beside "others": one for each colour
PART_MIN = 0.05  # of a bar; parts that are smaller in all bars are merged into "others"
SAME_INTENSITY = 0.02  # relative: points of a family with one intensity would be a column of dots
SAME_ROOF = 0.05  # relative: one line for FP16 and FP32
LINES = {
    "DRAM": "device.peak_copy",
    "L2": "device.peak_l2_copy",
    "shared memory": "device.peak_shared",
}
STEPS_MIN = 3
FAMILIES_MIN = 3  # of a figure that compares families
CLASSES = ("bytes only", "host link", "known addresses")
PEAKS = {
    "fp16": "device.peak_flop_f16",
    "fp32": "device.peak_flop_f32",
    "fp64": "device.peak_flop_f64",
}


def best(frame: pd.DataFrame) -> pd.DataFrame:
    """share (% of the roof), share_low, share_high, roof_name, place: the point with the largest share, of each family."""
    points = with_description(measured(frame))
    points = points[points[".share"].notna()]
    if points.empty:
        raise Skipped("no point has a roof")
    if points["kernel"].nunique() < FAMILIES_MIN:
        raise Skipped("fewer than three families have a roof")
    by = [".source", "kernel"]
    points = points[candidates(points, by)]
    rows = points.loc[points.groupby(by)[".share"].idxmax()]
    made = pd.DataFrame(
        {
            ".source": rows[".source"],
            "kernel": rows["kernel"],
            **{name: 100 * rows[f".{name}"] for name in ("share", "share_low", "share_high")},
            "place": places(rows["kernel"]),
            "roof_name": rows[".roof"].map(lambda name: roof(name).words),
        }
    )
    theirs = rows[rows[".vendor"]].groupby(".source", sort=False)["kernel"].unique()
    several = rows[".source"].nunique() > 1
    said = [
        f"It is the vendor's in {', '.join(names)}" + (f" on {source}" if several else "")
        for source, names in theirs.items()
    ]
    return remark(made, said)


def stalls(frame: pd.DataFrame) -> pd.DataFrame:
    """reason, start, end (% of all stalls), point, place: a row for each reason of each family's best own points, of
    all devices that measured them. Reasons that are a small part of all bars become "others", at the end."""
    rows = measured(frame)
    best = findings.best(frame)
    chosen = frame.loc[best.loc[best["bounded"].astype(bool), "row"], "id"]
    rows = rows[rows["id"].isin(chosen)].drop_duplicates([".source", "id"])
    cycles = pd.DataFrame({name: reals(rows, f"stall_{name.replace(' ', '_')}") for name in STALLS})
    cycles = cycles.where(cycles > 0).dropna(how="all").dropna(axis=1, how="all")
    if cycles.empty:
        raise Skipped("no stalls were counted")
    # The order of parts is that in which bars, from the first one on, have them.
    order = list(dict.fromkeys(part for _, bar in cycles.iterrows() for part in bar.dropna().index))
    share = cycles[order].fillna(0).div(cycles.sum(axis=1), axis=0)
    largest = share.max().sort_values(ascending=False, kind="stable")
    shown = [
        part for part in order if largest[part] >= PART_MIN and part in largest.index[:PARTS_SHOWN]
    ]
    share = share[shown].assign(others=share.drop(columns=shown).sum(axis=1))
    # Bars end at 100 alike: in what order points stand is not left to how sums are rounded.
    end = (100 * share.cumsum(axis=1)).round(9)
    start = end.shift(axis=1, fill_value=0)
    made = pd.concat({"end": end.stack(), "start": start.stack()}, axis=1).rename_axis(
        [None, "reason"]
    )
    made = made[made["end"] > made["start"] + 1e-9].reset_index("reason")
    bars = rows.loc[cycles.index]
    names = pd.concat([point_names(of, ("kernel", "variant")) for _, of in bars.groupby("kernel")])
    return made.join(bars[[".source", "kernel"]].assign(point=names, place=places(names)))


def roofline(frame: pd.DataFrame) -> pd.DataFrame:
    """intensity (flop/byte), rate, fp16, fp32, fp64 (TFLOP/s), lined: the fastest point of each family at an intensity,
    and with lined "yes" the corners of the roofs of bytes. (Williams, Waterman & Patterson, CACM 52 (4), 2009)"""
    points = measured(frame)
    points = points[~is_above_roof(points) & (quantities(points) != "operations")]
    intensity = reals(points, "flops") / (
        reals(points, "bytes_read") + reals(points, "bytes_written")
    )
    points = points[[".source", "kernel"]].assign(
        intensity=intensity, rate=reals(points, "flop_rate")
    )
    most = pd.concat([reals(frame, peak) for peak in PEAKS.values()], axis=1).max(axis=1)[
        points.index
    ]
    cores = texts(frame, "roof")[points.index].str.startswith("tensor_") | (
        points["rate"] > FAR_ABOVE * most
    )
    others = ~cores.groupby(points["kernel"]).transform("any")
    points = points[(intensity > 0) & np.isfinite(intensity) & (points["rate"] > 0) & others]
    if points.empty:
        raise Skipped("no point has operations outside of tensor cores")
    if points["kernel"].nunique() < 2:
        raise Skipped("only one family has operations outside of tensor cores")
    if not (reals(frame, "device.peak_flop_f32") > 0).any():
        raise Skipped("no roof of arithmetic was measured")
    points = points.sort_values([".source", "kernel", "intensity"])
    near = (np.log(points["intensity"]).diff().abs() > SAME_INTENSITY).cumsum()
    kept = points.groupby([".source", "kernel", near], sort=False)["rate"].idxmax()
    span = points["intensity"].min() / 2, points["intensity"].max() * 2
    known = frame[frame[".source"] != ""]
    highest = pd.DataFrame(
        {column: reals(known, column) for column in (*LINES.values(), *PEAKS.values())}
    )
    highest = highest.groupby(known[".source"], sort=False).max()
    parts = [points.loc[kept].assign(lined="no")]
    for source, peak in highest.iterrows():
        top = peak["device.peak_flop_f32"]
        for name, column in LINES.items():
            if top > 0 and peak[column] > 0:
                at = np.array([span[0], np.clip(top / peak[column], *span), span[1]])
                parts.append(
                    pd.DataFrame(
                        {
                            ".source": source,
                            "kernel": name,
                            "intensity": at,
                            "lined": "yes",
                            "rate": np.minimum(top, at * peak[column]),
                        }
                    )
                )
    made: pd.DataFrame = pd.concat(parts, ignore_index=True)
    made["rate"] /= 1e12
    for name, column in PEAKS.items():
        made[name] = made[".source"].map(highest[column]) / 1e12
    made["fp16"] = made["fp16"].mask((made["fp16"] / made["fp32"] - 1).abs() <= SAME_ROOF)
    return made


def steps(frame: pd.DataFrame, step: Sequence[str], state: Sequence[str] = ()) -> pd.DataFrame:
    """rate, rate_low, rate_high (TFLOP/s), place (0: the last step), class, kernel (the step): the fastest point of each device that meets
    the conditions of each ``NAME | CLASS | CONDITION...``; those of ``*`` hold for steps that do not name the column.
    All are of the one size that most have, the largest on a tie."""
    points, parts, common = measured(frame), [pd.DataFrame({"flops": [], "place": []})], []
    points = points[(reals(points, "flop_rate") > 0) & ~is_above_roof(points)]
    points = points[~is_transient(points)]
    for place, line in enumerate(step):
        name, kind, conditions = parts_of("step", line)
        if name == "*":
            common += conditions.split()
            continue
        named = [re.split("[=<>!]", condition)[0] for condition in conditions.split()]
        others = [
            one
            for one in common
            if (column := re.split("[=<>!]", one)[0]) not in named and column in points
        ]
        if set(named) <= set(points):
            own = points[meets(points, [*conditions.split(), *others])]
            parts.append(
                pd.DataFrame(
                    {
                        ".source": own[".source"],
                        "kernel": name,
                        "rate": reals(own, "flop_rate") / 1e12,
                        **{f"rate_{name}": of / 1e12 for name, of in ends(own)},
                        ".row": own.index,
                        "id": own["id"],
                        "clock_share": reals(own, "clock_share"),
                        "throttle_mask": reals(own, "throttle_mask"),
                        "family": own["kernel"],
                        "place": -place,
                        "class": kind,
                        "flops": reals(own, "flops"),
                    }
                )
            )
    made = pd.concat(parts)
    count = made.groupby("flops")["place"].nunique()
    made = made[
        made["flops"] == max(count.index, key=lambda flops: (count[flops], flops), default=np.nan)
    ]
    if made["place"].nunique() < STEPS_MIN:
        raise Skipped(f"it needs {STEPS_MIN} of its steps, of one size")
    made = made.assign(place=made["place"].rank(method="dense") - 1).drop(columns="flops")
    made = (
        made.sort_values("rate", kind="stable")
        .drop_duplicates([".source", "place"], keep="last")
        .sort_values("place", kind="stable", ascending=False, ignore_index=True)
    )
    first, last = (
        " in ".join(row[name].split(",")[0] for name in ("kernel", "class"))
        for _, row in made.iloc[[0, -1]].iterrows()
    )
    made.attrs["title"] = f"Rates of matrix products, step by step from {first} to {last}"
    return remark(made.drop(columns=".row"), [common_values(points.loc[made[".row"]], state)])


def ends(rows: pd.DataFrame) -> list[tuple[str, pd.Series]]:
    """The ends of the intervals of rates, by name."""
    low, high = interval(rows, "flop_rate") or (np.nan, np.nan)
    return [("low", low), ("high", high)]


def common_values(rows: pd.DataFrame, state: Sequence[str]) -> str:
    """The axes of ``state`` that all rows have alike, in words: what was computed, and in which state."""
    alike = [
        name
        for name in state
        if name in rows and rows[name].notna().all() and rows[name].nunique() == 1
    ]
    said = findings.values_text(rows.iloc[0], alike, rows.attrs["columns"])
    return f"All steps: {said}" if said else ""


def predicted(frame: pd.DataFrame) -> pd.DataFrame:
    """predicted (ms), ratio (measured over predicted), class (known addresses; host link) of measured CUDA points."""
    points = measured(frame)
    points = points[
        (texts(points, "backend") == "cuda")
        & (reals(points, "predicted_time") > 0)
        & (reals(points, "time_median") > 0)
        & ~is_transient(points)
    ]
    if points.empty:
        raise Skipped("no point has a predicted time")
    kind = pd.Series(knows_addresses(points), points.index).astype(int) * 2
    kind = kind.mask(texts(points, "roof").isin(["link_h2d", "link_d2h"]), 1).sort_values(
        kind="stable"
    )
    points = points.loc[kind.index]
    made = points[[".source", "kernel"]].assign(
        predicted=1e3 * points["predicted_time"],
        ratio=points["time_median"] / points["predicted_time"],
        **{"class": kind.map(CLASSES.__getitem__)},
    )
    known = made[kind == 2]
    near = within(known["ratio"], WRONG)
    verb = "is" if near.sum() == 1 else "are"
    return remark(
        made,
        [
            f"Of {plural(len(known), 'point')} with known addresses, {near.sum()} {verb} within {100 * WRONG:.0f} % of the prediction"
            if len(known)
            else ""
        ],
    )
