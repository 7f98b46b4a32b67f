"""The tables of a paper, as sheets. A table without data has no rows and is left out."""
from __future__ import annotations

import numpy as np
import pandas as pd

from .. import units
from ..laws import number
from ..sheet import Cell, Number, Sheet
from .findings import Gain, decisive, rate, times, why
from .study import Family, Study

POINTS_MAX = 2000  # rows of the table of all points
COLUMNS_MAX = 24
DASH = "—"
HALVES = "Every second sample of a point chose the best one; its value is that of the other samples."
THRESHOLD = 0.01  # smallest relevant difference, the default of compare
PROPERTIES = (("name", "Model"), ("multiprocessors", "Multiprocessors"), ("clock_max", "Highest SM clock"),
              ("l2_bytes", "L2 cache"), ("memory_bytes", "Memory"), ("driver", "Driver"), ("toolkit", "CUDA"),
              ("board_part", "Board"), ("datasheet", "Memory bandwidth, data sheet"), ("peak_copy", "DRAM copy"),
              ("peak_read", "DRAM read"), ("peak_write", "DRAM write"), ("peak_l2_read", "L2 read"),
              ("peak_shared", "Shared memory read"), ("peak_flop_f16", "FP16 arithmetic"),
              ("peak_flop_bf16", "BF16 arithmetic"), ("peak_flop_f32", "FP32 arithmetic"),
              ("peak_flop_f64", "FP64 arithmetic"), ("peak_h2d", "Pinned host to device"),
              ("peak_d2h", "Device to pinned host"), ("launch_floor", "Launch of an empty kernel"),
              ("graph_floor", "The same within a CUDA graph"))
COUNTERS = (  # of jobs/ladder.yaml: column, name, unit, scale, digits behind the point
    ("flop_rate", "Rate", "TFLOP/s", 1e-12, 1),
    ("smsp__issue_active.avg.pct_of_peak_sustained_active", "Issue", "%", 1, 1),
    ("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "FMA", "%", 1, 1),
    ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "Tensor", "%", 1, 1),
    ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", "Shared", "%", 1, 1),
    ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "Conflicts", "thousands", 1e-3, 1),
    *((f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio", name, "", 1, 2) for reason, name in
      (("long_scoreboard", "Copies"), ("barrier", "Barrier"), ("short_scoreboard", "Operands"),
       ("dispatch_stall", "Dispatch"))))


def cell(row: pd.Series, value: str, half: str) -> Number:
    """A number of a row with its interval; a dagger where the clock was lowered."""
    return Number(row[value], row[half], dagger=bool(row[".slowed"]) and np.isfinite(row[value]))


def devices(study: Study) -> Sheet:
    """A column per device: properties and measured peaks; a property that no device has is left out."""
    sheet = Sheet("devices", wide=len(study.devices) > 2)
    shown = study.devices[:COLUMNS_MAX - 1]
    sheet.head("Property", "wraps")
    for device in shown:
        sheet.head(device, "right" if sheet.wide else "wraps")
    of = {device: study.properties(device) for device in shown}
    described = study.columns
    for column, name in PROPERTIES:
        cells = [property_text(of[device].get(column, np.nan), described.get(f"device.{column}")) for device in shown]
        if set(cells) != {DASH}:
            sheet.row(name, *cells)
    sheet.row("Commit of warpsweep", *(study.group(device).commit[:12] or DASH for device in shown))
    sheet.caption = ("The devices. Rates from “DRAM copy” on were measured in the same run as the points, on the first "
                     "device of each model. They count bytes read and written." if study.on("cuda") else
                     "The devices. No GPU was measured.")
    return sheet


def property_text(value: object, column: object) -> str:
    """A value of /devices with its unit, as people read it."""
    unit = getattr(column, "unit", "")
    if isinstance(value, str):
        return value[:100] or DASH
    if value is None or value != value:
        return DASH
    value = float(value)  # type: ignore[arg-type]
    if unit == "bytes":
        return f"{value / (2**30 if value >= 2**30 else 2**20):.4g} {'GiB' if value >= 2**30 else 'MiB'}"
    scaled = {"bytes/s": "{:.0f} GB/s", "flop/s": "{:.1f} TFLOP/s", "Hz": "{:.0f} MHz", "s": "{:.3g} us"}
    if unit in scaled:
        return scaled[unit].format(value / units.scale(scaled[unit].split(" ")[1]))
    return f"{value:.0f}" if getattr(column, "type", "") == "integer" else f"{value:.4g} {unit}".rstrip()


def best(study: Study) -> Sheet:
    """The best point of each family on each device, as a share of its roof."""
    sheet = Sheet("best", wide=True)
    for name, kind, unit in (("Family", "words", ""), ("Device", "words", ""), ("Points", "right", ""),
                             ("Best variant", "words", ""), ("at", "wraps", ""), ("Roof", "words", ""),
                             ("Share of roof", "number", "%")):
        sheet.head(name, kind, unit)
    bounded = {family.name for family in study.families if family.bounded}
    for _, row in study.best(["kernel", ".place"]).sort_values(["kernel", ".place"]).iterrows():
        if row["kernel"] in bounded:
            sheet.row(row["kernel"], row[".label"], str(row[".of"]), row["variant"], row[".at"], row[".roof"],
                      cell(row, ".share", ".share_half"))
    sheet.caption = ("The best point of each family: the one closest to its roof, libraries' kernels included. The "
                     "roof was measured on the same device in the same run. It was chosen from as many points as "
                     f"“Points” says. Uncertainties: half the width of the 95 % interval. {HALVES}")
    return sheet


def families(study: Study) -> Sheet:
    """A row per family: points, its best variant and share of the roof on each device."""
    sheet = Sheet("families", wide=True)
    sheet.head("Family", "words")
    sheet.head("Points", "count")
    shown = study.devices[:(COLUMNS_MAX - 2) // 2]
    rates, bounded = len(shown) == 1, any(family.bounded for family in study.families)
    for device in shown:
        sheet.head(f"Best on {device}", "words")
        if rates:
            sheet.head("Rate", "right")
        if bounded:
            sheet.head("of its roof", "number", "%")
    found = {(row["kernel"], row[".label"]): row for _, row in study.best(["kernel", ".label"]).iterrows()}
    for family in study.families:
        cells: list[Cell] = [family.name, family.points]
        for device in shown:
            row = found.get((family.name, device))
            cells.append(DASH if row is None else row["variant"])
            cells += [DASH if row is None else rate(row, family)] * rates
            cells += [None if row is None else cell(row, ".share", ".share_half")] * bounded
        sheet.row(*cells)
    sheet.caption = ("The families: the variant of the best point"
                     + ", the one closest to its roof, which was measured on the same device in the same run" * bounded
                     + f", chosen among all points of the family. ±: half of the 95 % interval. {HALVES}"
                     + " A roof is the median of launches of a plain kernel: shares may be over 100 %." * bounded)
    return sheet


VERDICTS = ["points_faster", "points_slower", "points_same", "points_uncertain"]


def speedups(study: Study, ratios: pd.DataFrame, names: tuple[str, str], found: list[Gain], place: int) -> Sheet:
    """Speed-ups of families of one file over the first, beside how much faster their roofs are; ``ratios`` has a row
    per family, and ``all``."""
    sheet = Sheet("speedups" if not place else f"speedups-{place + 1}", wide=True)
    for name, kind in (("Family", "words"), ("Speed-up", "number"), ("of roofs", "right"),
                       *((verdict.replace("points_", "").capitalize(), "count") for verdict in VERDICTS),
                       ("varies most with", "words"), ("most at", "words"), ("Speed-up", "right"),
                       ("least at", "words"), ("Speed-up", "right")):
        sheet.head(name, kind)
    gains = {one.family.name: one for one in found}
    for name, row in ratios.iterrows():
        one, cells = gains.get(name), [DASH] * 6
        if one:
            cells[0] = f"{one.roofs:.2f}"
        if one and one.axis:
            cells[1:] = [one.axis, study.axis_text(one.axis, one.high), f"{one.gain_high:.2f}",
                         study.axis_text(one.axis, one.low), f"{one.gain_low:.2f}"]
        sheet.row(name, Number(row["speedup"], row["half"]), cells[0], *(int(row[verdict]) for verdict in VERDICTS),
                  *cells[1:])
    percent = f"{100 * THRESHOLD:g} %"
    units = bool((ratios["ratio_low"] == ratios.get("units_low")).any())
    sheet.caption = (f"Speed-up of {names[1]} over {names[0]} by family: the geometric mean over their points with half the "
                     f"width of its 95 % interval ({'for other units of the products' if units else 'for a repetition'}), "
                     "how much faster the roofs are that bound the points, and the number of points that are faster or "
                     f"slower by more than {percent}, the same (a difference over {percent} is ruled out), or uncertain. "
                     "Last the axis with which the speed-up varies most, and its values with the largest and the "
                     "smallest one.")
    return sheet


def variants(study: Study, family: Family) -> Sheet:
    """The best point of each variant on the first device that has one, and the same point on the others."""
    sheet = Sheet(f"variants-{family.name}", wide=len(study.devices) > 2)
    sheet.head("Variant", "words")
    sheet.head("Points", "right")
    sheet.head("at", "wraps")
    shown = study.devices[:COLUMNS_MAX - 3]
    for device in shown:
        sheet.head(device, "number", family.unit)
    rows = study.rows[study.rows["kernel"] == family.name]
    found = study.best(["kernel", "variant", ".place"]).query("kernel == @family.name").drop_duplicates("variant")
    for _, row in found.iterrows():
        same = rows[rows["id"] == row["id"]].set_index(".label")
        sheet.row(row["variant"], str(row[".of"]), same[".at"].iloc[0],
                  *(cell(row if device == row[".label"] else same.loc[device], ".value", ".value_half")
                    if device in same.index else None for device in shown))
    others = ", and of the same point on the others" if len(study.devices) > 1 else ""
    sheet.caption = (f"{family.name}: the {family.words} of the best point of each variant "
                     f"({'closest to its roof' if family.bounded else 'best value'}) on {study.devices[0]}{others}. "
                     "It was chosen from as many points as “Points” says."
                     + f" {HALVES}" * (family.quantity != "latency_p50"))
    return sheet


def ladder(study: Study) -> Sheet:
    """Counters of the steps of jobs/ladder.yaml."""
    from ..derived.ladder import rungs

    found = rungs(study.all)
    steps = study.all.loc[found["row"]].assign(**{".step": found["step"].to_numpy()}) if len(found) else study.all[:0]
    sheet = Sheet("ladder-counters", wide=True)
    several = len(study.devices) > 1
    sheet.head("Step", "words")
    if several:
        sheet.head("Device", "words")
    for _, name, unit, _, _ in COUNTERS:
        sheet.head(name, "right", unit)
    counted = steps[steps[COUNTERS[1][0]].notna()] if COUNTERS[1][0] in steps else steps[:0]
    for _, row in counted.iterrows():
        cells = [f"{scale * row[column]:.{digits}f}" if np.isfinite(row.get(column, np.nan)) else DASH
                 for column, _, _, scale, digits in COUNTERS]
        sheet.row(row[".step"], *([study.labels.get(row["source"], "")] if several else []), *cells)
    sheet.caption = ("What holds each step of a matrix product back, by hardware counters: issue slots, pipes and "
                     "shared memory in per cent of their peaks, conflicts of its banks, and warps that wait per issued "
                     "instruction: for copies and global memory, at barriers, for operands from shared memory, and "
                     "at the dispatcher.")
    return sheet


def points(study: Study) -> Sheet:
    """A row for each of the first points: its axes; on each device its time, bandwidth and share of the roof; its
    id."""
    sheet = Sheet("points", wide=True)
    sheet.head("Family", "words")
    sheet.head("Variant", "words")
    sheet.head("at", "wraps")
    shown = study.devices[:(COLUMNS_MAX - 4) // 3]
    for device in shown:
        sheet.head(f"{device} time", "number", "us")
        sheet.head(f"{device} bandwidth", "number", "GB/s")
        sheet.head(f"{device} share of roof", "number", "%")
    sheet.head("id", "words")
    rows = study.rows
    measured = pd.DataFrame({"time": number(rows, "time_median") / units.scale("us"),
                             "bandwidth": number(rows, "bandwidth") / 1e9, "share": rows[".share"]}).where(rows[".ok"])
    halves = measured.mul(rows[".time_error"], axis=0).assign(share=rows[".share_half"])
    cells = {column: [Number(value, half, dagger=slowed and value == value) for value, half, slowed in
                      zip(measured[column], halves[column], rows[".slowed"])] for column in measured}
    place = dict(zip(zip(rows["kernel"], rows["id"], rows[".label"]), range(len(rows))))
    for _, point in study.points[:POINTS_MAX].iterrows():
        numbers: list[object] = []
        for device in shown:
            at = place.get((point["kernel"], point["id"], device))
            numbers += [None if at is None else cells[column][at] for column in measured]
        sheet.row(point["kernel"], point["variant"], point[".at"], *numbers, point["id"])
    sheet.caption = (f"All {len(study.points)} points: median time, bandwidth and share of the roof. A dash: not "
                     "measured, or no such quantity.")
    return sheet


def axes(study: Study) -> Sheet:
    """For each family the axes that change its rate most."""
    sheet = Sheet("axes", wide=True)
    sheet.head("Family", "words")
    sheet.head("Axis", "words")
    sheet.head("best at", "words")
    sheet.head("worst at", "words")
    shown = study.devices[:COLUMNS_MAX - 6]
    for device in shown:
        sheet.head(device, "right")
    sheet.head("Sets", "count")
    sheet.head("What goes with it", "wraps")
    for family in study.families:
        for on in decisive(study, family, 2):
            first = next(iter(on.values()))
            logs = [on[device].means.reindex([first.best, first.worst]) if device in on else None for device in shown]
            ratios = [DASH if log is None else times(np.exp(log.iloc[0] - log.iloc[1])) for log in logs]
            sheet.row(family.name, first.axis, study.axis_text(first.axis, first.best),
                      study.axis_text(first.axis, first.worst), *ratios, first.sets, why(study, first) or DASH)
    if all(row[-1] == DASH for row in sheet.rows):
        sheet.heads.pop()
        sheet.rows = [row[:-1] for row in sheet.rows]
    sheet.caption = ("The axes that change the rate of each family most: how many times higher it is at the best "
                     "value than at the worst, in sets of points that are equal in all other axes (geometric mean).")
    return sheet
