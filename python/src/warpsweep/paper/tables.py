"""The tables of a paper, as sheets. A table without data has no rows and is left out."""
from __future__ import annotations

import numpy as np
import pandas as pd

from .. import units
from ..laws import number
from ..pivots import person
from ..sheet import Number, Sheet
from .findings import Effect, Gain, why
from .study import Family, Study

POINTS_MAX = 2000  # rows of the table of all points
COLUMNS_MAX = 24
DASH = "—"
PROPERTIES = (("name", "Model"), ("multiprocessors", "Multiprocessors"), ("clock_max", "Highest SM clock"),
              ("l2_bytes", "L2 cache"), ("memory_bytes", "Memory"), ("driver", "Driver"), ("toolkit", "CUDA"),
              ("board_part", "Board"), ("datasheet", "Memory bandwidth, data sheet"), ("peak_copy", "DRAM copy"),
              ("peak_read", "DRAM read"), ("peak_write", "DRAM write"), ("peak_l2_read", "L2 read"),
              ("peak_shared", "Shared memory read"), ("peak_flop_f16", "FP16 arithmetic"),
              ("peak_flop_bf16", "BF16 arithmetic"), ("peak_flop_f32", "FP32 arithmetic"),
              ("peak_flop_f64", "FP64 arithmetic"), ("peak_h2d", "Pinned host to device"),
              ("peak_d2h", "Device to pinned host"), ("launch_floor", "Launch of an empty kernel"),
              ("graph_floor", "The same within a CUDA graph"))
VERDICTS = ["points_faster", "points_slower", "points_same", "points_uncertain"]


def sheet(name: str, caption: list[str], *heads: tuple[str, ...], wide: bool = True) -> Sheet:
    """An empty table; a head is a name, its kind and its unit."""
    made = Sheet(name, " ".join(caption), wide)
    for head in heads:
        made.head(*head)
    return made


def cell(row: pd.Series, value: str) -> Number:
    """A number of a row with its interval; a dagger where the clock was lowered."""
    return Number(row[value], row[f"{value}_half"], dagger=bool(row[".slowed"]) and np.isfinite(row[value]))


def times(ratio: float) -> str:
    return f"{ratio:.3g}" if ratio < 100 else f"{ratio:.0f}"


def rate(row: pd.Series, study: Study) -> str:
    """``4299 ± 4 GB/s``."""
    return f"{units.format(row['.value'], row['.value_half'])} {study.by_name[row['kernel']].unit}"


def devices(study: Study, caption: list[str]) -> Sheet:
    """A column per device: properties and measured peaks; a property that no device has is left out."""
    shown, wide = study.devices[:COLUMNS_MAX - 1], len(study.devices) > 2
    made = sheet("devices", caption, ("Property", "wraps"),
                 *((device, "right" if wide else "wraps") for device in shown), wide=wide)
    first = study.rows.sort_values("device", kind="stable").drop_duplicates(".label").set_index(".label")
    for name, words in PROPERTIES:
        column = f"device.{name}"
        if column in first:
            cells = [person(first[column][device], study.columns.get(column)) for device in shown]
            if set(cells) != {DASH}:
                made.row(words, *cells)
    made.row("Commit of warpsweep", *(study.group(device).commit[:12] or DASH for device in shown))
    return made


def families(study: Study, caption: list[str]) -> Sheet:
    """A row per family: points, its best variant and share of the roof on each device."""
    shown = study.devices[:(COLUMNS_MAX - 2) // 2]
    rates, bounded = len(shown) == 1, any(family.bounded for family in study.families)
    heads = [head for device in shown for head in [
        (f"Best on {device}",), *[("Rate", "right")] * rates, *[("of its roof", "number", "%")] * bounded]]
    made = sheet("families", caption, ("Family",), ("Points", "count"), *heads)
    best = study.best(["kernel", ".label"]).set_index(["kernel", ".label"], drop=False)
    for family in study.families:
        cells: list = [family.name, family.points]
        for device in shown:
            row = best.loc[family.name, device] if (family.name, device) in best.index else None
            cells.append(DASH if row is None else row["variant"])
            cells += [DASH if row is None else rate(row, study)] * rates
            cells += [None if row is None else cell(row, ".share")] * bounded
        made.row(*cells)
    return made


def speedups(study: Study, caption: list[str], ratios: pd.DataFrame, found: list[Gain], place: int) -> Sheet:
    """Speed-ups of families of one file over the first, beside how much faster their roofs are; ``ratios`` has a row
    per family, and ``all``."""
    verdicts = [(verdict.replace("points_", "").capitalize(), "count") for verdict in VERDICTS]
    made = sheet("speedups" if not place else f"speedups-{place + 1}", caption, ("Family",), ("Speed-up", "number"),
                 ("of roofs", "right"), *verdicts,
                 ("varies most with",), ("most at",), ("Speed-up", "right"), ("least at",), ("Speed-up", "right"))
    gains = {one.family.name: one for one in found}
    for name, row in ratios.iterrows():
        one = gains.get(name)
        ends = [text for level, gain, _ in one.ends for text in (study.axis_text(one.axis, level), f"{gain:.2f}")] \
            if one and one.axis else [DASH] * 4
        made.row(name, Number(row["speedup"], row["half"]), f"{one.roofs:.2f}" if one else DASH,
                 *(int(row[verdict]) for verdict in VERDICTS), (one.axis if one else "") or DASH, *ends)
    return made


def variants(study: Study, caption: list[str], family: Family) -> Sheet:
    """The best point of each variant on the first device that has one, and the same point on the others."""
    shown = study.devices[:COLUMNS_MAX - 3]
    made = sheet(f"variants-{family.name}", caption, ("Variant",), ("Points", "right"), ("at", "wraps"),
                 *((device, "number", family.unit) for device in shown), wide=len(study.devices) > 2)
    rows = study.rows[study.rows["kernel"] == family.name]
    found = study.best(["kernel", "variant", ".label"]).query("kernel == @family.name")
    for _, row in found.drop_duplicates("variant").iterrows():
        same = {of[".label"]: of for _, of in rows[rows["id"] == row["id"]].iterrows()} | {row[".label"]: row}
        made.row(row["variant"], str(row[".of"]), row[".at"],
                 *(cell(same[device], ".value") if device in same else None for device in shown))
    return made


def axes(study: Study, caption: list[str], effects: dict[str, list[dict[str, Effect]]]) -> Sheet:
    """For each family the axes that change its rate most."""
    shown = study.devices[:COLUMNS_MAX - 6]
    made = sheet("axes", caption, ("Family",), ("Axis",), ("best at",), ("worst at",),
                 *((device, "right") for device in shown), ("Sets", "count"), ("What goes with it", "wraps"))
    for name, found in effects.items():
        for on in found[:2]:
            first = next(iter(on.values()))
            logs = [on[device].means.reindex([first.best, first.worst]) if device in on else None for device in shown]
            made.row(name, first.axis, *(study.axis_text(first.axis, level) for level in (first.best, first.worst)),
                     *(DASH if log is None else times(np.exp(log.iloc[0] - log.iloc[1])) for log in logs), first.sets,
                     why(study, first) or DASH)
    return made


def points(study: Study, caption: list[str]) -> Sheet:
    """A row for each of the first points: its axes; on each device its time, bandwidth and share of the roof; its
    id."""
    shown = study.devices[:(COLUMNS_MAX - 4) // 3]
    heads = [(f"{device} {name}", "number", unit) for device in shown
             for name, unit in (("time", "us"), ("bandwidth", "GB/s"), ("share of roof", "%"))]
    made = sheet("points", caption, ("Family",), ("Variant",), ("at", "wraps"), *heads, ("id",))
    rows = study.rows
    measured = pd.DataFrame({"time": number(rows, "time_median") / units.scale("us"),
                             "bandwidth": number(rows, "bandwidth") / 1e9, "share": rows[".share"]}).where(rows[".ok"])
    halves = measured.mul(rows[".time_error"], axis=0).assign(share=rows[".share_half"])
    cells = [[Number(value, half, dagger=slowed and value == value) for value, half in zip(*pair)]
             for *pair, slowed in zip(measured.to_numpy(), halves.to_numpy(), rows[".slowed"])]
    at = dict(zip(zip(rows["kernel"], rows["id"], rows[".label"]), cells))
    for _, point in study.points[:POINTS_MAX].iterrows():
        numbers = [one for device in shown for one in at.get((point["kernel"], point["id"], device), [None] * 3)]
        made.row(point["kernel"], point["variant"], point[".at"], *numbers, point["id"])
    return made
