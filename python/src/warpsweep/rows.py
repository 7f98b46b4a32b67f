"""What a row is: its quantity with unit, interval and better direction, its roof, its share of that, whether it is a control,
a vendor's or predicted, and which rows it is comparable with. What prints, draws or compares rows asks here; what is special
to one family stands in `kernels`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import kernels
from .columns import Column, Columns, reals, texts
from .condition import LOWERED, is_lowered, is_transient
from .errors import UsageError
from .latex import DAGGER
from .rates import TIMED
from .selecting import INTEGERS, meeting
from .stored import in_pieces
from .units import OPERATIONS


class Quantity(NamedTuple):
    """What points are compared by. ``timed``: it is a quotient of the time, whose interval it has."""

    column: str
    unit: str
    words: str
    better: str  # "higher" or "lower"
    timed: bool = True


class Roof(NamedTuple):
    """``unit``: of its rate. ``part``: of the machine, whose health it tells."""

    words: str
    unit: str
    part: str


QUANTITIES = {
    "bandwidth": Quantity("bandwidth", "bytes/s", "bandwidth", "higher"),
    "bus_bandwidth": Quantity("bus_bandwidth", "bytes/s", "bandwidth of the bus", "higher"),
    "flop_rate": Quantity("flop_rate", "flop/s", "rate", "higher"),
    "operations": Quantity("flop_rate", "op/s", "rate", "higher"),
    "latency": Quantity("latency_p50", "cycles", "latency", "lower", timed=False),
    "time": Quantity("time_median", "s", "time", "lower"),
}
# Columns that `described` takes, beside the axes and what reading itself needs.
DESCRIBED = {
    *(f"{q.column}{end}" for q in QUANTITIES.values() for end in ("", "_low", "_high")),
    *"time_ci_low time_ci_high flops latency_p50 shared l2_state".split(),
}
_BYTES = {
    "dram_read": ("DRAM read", "DRAM"),
    "dram_write": ("DRAM write", "DRAM"),
    "dram_mix": ("DRAM read and write", "DRAM"),
    "l2": ("L2", "L2"),
    "shared": ("shared memory", "shared memory"),
    "link_h2d": ("host to device", "host to device"),
    "link_d2h": ("device to host", "device to host"),
    "link_peer": ("link between devices", "links between devices"),
}
_FLOPS = {
    "flop_f16": "FP16 arithmetic",
    "flop_bf16": "BF16 arithmetic",
    "flop_f32": "FP32 arithmetic",
    "flop_f64": "FP64 arithmetic",
    "tensor_f16": "FP16 tensor cores",
    "tensor_bf16": "BF16 tensor cores",
    "tensor_tf32": "TF32 tensor cores",
    "tensor_f8": "FP8 tensor cores",
    "tensor_i8": "8-bit integer tensor cores",
    "tensor_f4": "FP4 tensor cores",
}
ROOF_UNITS = {"byte": ("bytes/s",), "flop": ("flop/s", "op/s")}  # by what a roof limits
ROOFS = {
    **{name: Roof(words, "bytes/s", part) for name, (words, part) in _BYTES.items()},
    **{
        name: Roof(words, "op/s" if name == "tensor_i8" else "flop/s", "arithmetic")
        for name, words in _FLOPS.items()
    },
}
NO_ROOF = Roof("none", "bytes/s", "points without a roof")
LATENCY_PART = "latency of shared memory and L1"  # unless the family says another
PEAKS = {f"peak_{name}": words for name, words in _FLOPS.items()}  # of /devices
# a smaller share of the bytes does not count: the roof is that of reading, or of writing
ALONE = 0.01
# Points that do more operations a byte are of arithmetic, others of memory: an H100 needs 18 flop/byte in FP32 to be
# bound by arithmetic, and streaming kernels do fewer than 2.
ARITHMETIC = 16.0
# what a roof is, and where that of a point comes from
ROOF_IS = (
    "A roof is a median of launches of a plain kernel in the same run, for other mixes of reads and writes between those of "
    "reads, copies and writes, so a share may be above 100 %."
)
MEASURED = "measured in the same run"
BETWEEN = "between the peaks of reads, copies and writes of the same run"
SUMMED = "the sum of links that were each measured alone in the same run"
PROFILE = "by the profile"
ABOVE_ROOF = 1.02  # shares whose low end is larger are no results: the roof is too low, or the point does not do its work
ABOVE = f"more than {100 * ABOVE_ROOF - 100:.0f} % above its roof: not a result"
DISPROVED = "counters disprove the state of L2 that the axis cache names"
PREDICTED, TOO_FAST = "‡", "§"
MARKS = {  # signs of numbers in tables
    DAGGER: LOWERED,
    TOO_FAST: ABOVE,
    PREDICTED: "predicted by the time model, not measured; ± is its error at 95 % of the family's points",
}
NEAR_ROOF = 0.9  # of the roof: such points are counted


def roof(name: str) -> Roof:
    """The roof of that name; one that this release does not know by its name."""
    if name in ("", "none"):
        return NO_ROOF
    unit = "flop/s" if name.startswith(("flop_", "tensor_")) else "bytes/s"
    return ROOFS.get(name, Roof(name, unit, NO_ROOF.part))


def is_vendor(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows that a library or engine of the vendor ran."""
    known = kernels.of(rows["kernel"].unique()).values()
    words = {word for family in known for word in family.vendor}
    for results in rows.attrs.get("results", ()):
        words |= set((results.env("vendor") or "").split(","))
    words.discard("")
    found = pd.Series(False, rows.index)
    for axis in {"variant", *(family.ways for family in known)}:
        found |= texts(rows, axis).isin(words)
    return found


def is_predicted(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose time was predicted: its interval is that of the profile's values, not one of a measurement."""
    return (texts(rows, "device.backend") == "predicted") | (texts(rows, "backend") == "predicted")


def sure_shares(rows: pd.DataFrame) -> pd.Series[float]:
    """The least share of its roof that each row has by its interval; the share, where it has none or was predicted: what a
    prediction calls an interval is the model's error."""
    share = reals(rows, "fraction_peak")
    low = (interval(rows, "fraction_peak") or (share, share))[0].fillna(share)
    return low.mask(is_predicted(rows), share)


def is_above_roof(rows: pd.DataFrame) -> pd.Series[bool]:
    """Measured rows whose share of the roof is above ABOVE_ROOF, also at its low end, if that is known."""
    above = (texts(rows, "status") == "ok") & (sure_shares(rows) > ABOVE_ROOF)
    return above & ~is_predicted(rows)


def is_disproved(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose counters disprove the state of L2 that their axis `cache` names."""
    return texts(rows, "l2_state").str.startswith("disproved")


def marks(rows: pd.DataFrame) -> pd.Series[Any]:
    """The signs of MARKS that the times and rates of each row have."""
    found = pd.Series("", rows.index, dtype=object)
    for sign, holds in (
        (DAGGER, is_lowered(rows)),
        (TOO_FAST, is_above_roof(rows)),
        (PREDICTED, is_predicted(rows)),
    ):
        found = found.mask(holds, found + sign)
    return found


def knows_addresses(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose accesses the models know; of others they know the bytes, and predict the least time that these take."""
    told, known = reals(rows, "addresses"), reals(rows, "predicted_load_sectors").notna()
    known |= reals(rows, "predicted_store_sectors").notna()
    if told.isna().any():  # older files have no such column
        for name, family in kernels.of(rows["kernel"].unique()).items():
            unfollowed = texts(rows, family.ways).isin(family.unfollowed)
            known &= (rows["kernel"] != name) | ~unfollowed
    return (told == 1).where(told.notna(), known)


def meets(rows: pd.DataFrame, conditions: str | Sequence[str]) -> pd.Series[bool]:
    """Rows that meet conditions; none, if the files have no such column."""
    try:
        return meeting(rows, conditions, strict=False)
    except UsageError:
        return pd.Series(False, rows.index)


def is_control(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows that are measured to understand others: they are no results."""
    control = pd.Series(False, rows.index)
    for name, family in kernels.of(rows["kernel"].unique()).items():
        for conditions in family.controls:
            control |= (rows["kernel"] == name) & meets(rows, conditions)
    return control


def is_integer(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose values are integers."""
    return texts(rows, "dtype").isin(INTEGERS)


def roof_kinds(rows: pd.DataFrame) -> pd.Series[Any]:
    """The roof of each row; of DRAM, reading or writing alone if the other is below 1 % of the bytes."""
    kind, read = texts(rows, "roof"), _read_share(rows)
    mix = kind == "dram_mix"
    return kind.mask(mix & (read < ALONE), "dram_write").mask(mix & (read > 1 - ALONE), "dram_read")


def _read_share(rows: pd.DataFrame) -> pd.Series[float]:
    """The share of the bytes of each row that it reads."""
    read, written = reals(rows, "bytes_read"), reals(rows, "bytes_written")
    return read / (read + written)


def roof_origins(rows: pd.DataFrame) -> pd.Series[Any]:
    """Where the roof of each row comes from, in words: peaks of reads, copies and writes were measured, those of other mixes
    lie between, and those of links that are used together are sums."""
    far = np.abs(_read_share(rows).to_numpy()[:, None] - [0, 0.5, 1]).min(axis=1) > ALONE
    mixed = texts(rows, "roof").isin(["dram_mix", "l2"]) & far
    several = reals(rows, "roof_rate") > (1 + ALONE) * reals(rows, "link_peak")
    summed = several & (texts(rows, "roof") == "link_peer")
    origin = pd.Series(MEASURED, rows.index, dtype=object)
    origin = origin.mask(mixed, BETWEEN).mask(summed, SUMMED)
    return origin.mask(is_predicted(rows), PROFILE)


def quantities(rows: pd.DataFrame) -> pd.Series[Any]:
    """The name in QUANTITIES of each row's quantity: a latency, if the kernel clocked one, or what its family states, or
    operations (flops, or of integers), if most points of the family do many for a byte, or bytes."""
    flops, of = reals(rows, "flops"), rows["kernel"]
    moved = reals(rows, "bytes_read").fillna(0) + reals(rows, "bytes_written").fillna(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        heavy = (flops > 0) & (flops / moved >= ARITHMETIC)
    works = (texts(rows, "status") == "ok") & ((flops > 0) | (moved > 0))
    heavy = heavy.astype(float).where(works).groupby(of).transform("mean") > 0.5
    found = pd.Series("time", rows.index, dtype=object)
    known, clocked = kernels.of(of.unique()), pd.Series(True, rows.index)
    choices = [("bandwidth", clocked), ("flop_rate", heavy)]
    for kernel, family in known.items():
        if family.quantity:
            choices.append((family.quantity, of == kernel))
        clocked = clocked & ((of != kernel) | family.latency)
    for name, holds in (*choices, ("latency", clocked)):
        found = found.mask((reals(rows, QUANTITIES[name].column) > 0) & holds, name)
    return found.mask((found == "flop_rate") & is_integer(rows), "operations")


def units_of(rows: pd.DataFrame, column: Column) -> pd.Series[Any]:
    """The unit of a column in each row: that of the file; of operations that are no flops, which are in the same columns,
    another."""
    found = pd.Series(column.unit, rows.index, dtype=object)
    if column.unit in OPERATIONS and column.role != "environment":
        operations = is_integer(rows) | (quantities(rows) == "operations")
        found = found.mask(operations, OPERATIONS[column.unit])
    return found


def interval(rows: pd.DataFrame, name: str) -> tuple[Any, Any] | None:
    """The 95 % interval of a column: its own ends, else for a rate that of the time; None: it has none."""
    ends = (
        ("time_ci_low", "time_ci_high")
        if name == "time_median"
        else (f"{name}_low", f"{name}_high")
    )
    columns = rows.attrs.get("columns", Columns())
    if all(end in rows and columns.role(end) != "axis" for end in ends):
        return reals(rows, ends[0]), reals(rows, ends[1])
    if name not in TIMED or "time_ci_low" not in rows:
        return None
    of_time = reals(rows, name) * reals(rows, "time_median")
    return of_time / reals(rows, "time_ci_high"), of_time / reals(rows, "time_ci_low")


def part_of(rows: pd.DataFrame) -> pd.Series[Any]:
    """The part of the machine that each row's time depends on: that of its roof; latencies depend on their level."""
    part = texts(rows, "roof").map(lambda name: roof(name).part).astype(object)
    part = part.mask(reals(rows, "latency_p50").notna(), LATENCY_PART)
    for name, family in kernels.of(rows["kernel"].unique()).items():
        for conditions, of in family.parts.items():
            part = part.mask((rows["kernel"] == name) & meets(rows, conditions), of)
    return part


def described(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each one: ``quantity`` (of QUANTITIES), ``value``, ``low``, ``high`` (in the unit of the file; NaN: not
    measured, or without an interval), ``roof``, ``roof_seconds`` (what the point takes at its roof), ``share``,
    ``share_low``, ``share_high`` of the roof, ``share_sure`` (`sure_shares`), ``control``, ``vendor``, ``predicted``, ``slowed``, ``above``, ``group`` (rows of
    one family and group are comparable), ``aspect`` (the group in words, "" of those with a roof), and ``rank`` (larger
    is better; NaN: not measured, above its roof, or of a transient). Rows with a roof are compared by its share, others by their value."""
    ok, quantity = texts(rows, "status") == "ok", quantities(rows)
    nothing = pd.Series(np.nan, rows.index)
    value, low, high, rank = (nothing.copy() for _ in range(4))
    for name in quantity.unique():
        what, mine = QUANTITIES[name], quantity == name
        value = value.mask(mine & ok, reals(rows, what.column))
        ends = interval(rows, what.column) if what.timed else None
        if ends:
            low, high = low.mask(mine & ok, ends[0]), high.mask(mine & ok, ends[1])
        rank = rank.mask(mine, value if what.better == "higher" else -value)
    share = reals(rows, "fraction_peak").where(ok)
    share = share.where(share > 0)
    ends = interval(rows, "fraction_peak") or (nothing, nothing)
    above, aspect = is_above_roof(rows), pd.Series("", rows.index, dtype=object)
    for kernel, family in kernels.of(rows["kernel"].unique()).items():
        own = (rows["kernel"] == kernel) & share.isna()
        named = [name for name in family.apart if name in rows]
        if named and own.any():
            aspect[own] = rows.loc[own, named].astype(str).agg(" ".join, axis=1).str.strip()
    return pd.DataFrame(
        {
            "quantity": quantity,
            "value": value,
            "low": low,
            "high": high,
            "roof": roof_kinds(rows),
            "roof_seconds": share * reals(rows, "time_median"),
            "share": share,
            "share_low": ends[0].where(share.notna()),
            "share_high": ends[1].where(share.notna()),
            "share_sure": sure_shares(rows).where(share.notna()),
            "control": is_control(rows),
            "vendor": is_vendor(rows),
            "predicted": is_predicted(rows),
            "slowed": is_lowered(rows),
            "above": above,
            "group": (quantity + " " + aspect).where(share.isna(), ""),
            "aspect": aspect,
            "rank": share.where(share.notna(), rank).mask(above | is_transient(rows)),
        }
    )


def with_description(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the columns of `described` as ``.NAME``, if it has not got them."""
    if ".rank" in frame:
        return frame
    about = described(frame).add_prefix(".")
    made = in_pieces({**dict(frame.items()), **dict(about.items())})
    made.attrs.update(frame.attrs)
    return made


def candidates(frame: pd.DataFrame, by: list[str]) -> pd.Series[bool]:
    """The rows of `with_description` that can be the best of their kind: measured, and no controls, unless all are."""
    ranked = frame[".rank"].notna()
    others = (ranked & ~frame[".control"]).groupby([frame[name] for name in by]).transform("any")
    return ranked & ~(frame[".control"] & others)


def why_missing(row: Any, name: str, role: str) -> str:
    """Why a row has no number in a column, or no word: what NaN means there."""
    if role == "axis":
        return "not an axis of the family"
    if row["status"] != "ok":
        return "the point was not measured"
    if role == "counter":
        state = row.get("counters_status", "")
        return f"counters {state}" if state and state != "counted" else "not counted"
    of = re.sub("(_ci)?_(low|high)$", "", name)
    if of != name and pd.notna(row.get("time_median" if of == "time" else of)):
        return "no interval, or no range of the roof"
    if name in ("fraction_nominal", "fraction_datasheet"):
        return "no stated peak"
    if name.startswith(("fraction_", "roof_rate")):
        return "no measured roof"
    if role == "energy":
        return row.get("energy_status", "") or "energy was not measured"
    return "not measured"


def above_text(rows: pd.DataFrame) -> str:
    """ "" or " (2 of them above 100 %)" of rows of `with_description` whose intervals lie above their roofs."""
    over = int((rows[".share_sure"] > 1).sum())
    return f" ({over} of them above 100 %)" if over else ""
