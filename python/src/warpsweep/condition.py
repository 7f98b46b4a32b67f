"""The state of the machine while the samples that made a time were taken: the SM clock, and what lowered it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .columns import reals
from .estimates import cells
from .statistics import places, quantiles

if TYPE_CHECKING:
    from .results import Results

STEADY = 0.98  # of a device's highest clock: below, a time depends on the clock
LOWERED = f"SM clock below {100 * STEADY:.0f} % of its highest while the point was timed"
# What NVML's clock-event reasons say, by their bits.
SLOWDOWNS = {0x84: "the power limit", 0x60: "heat", 0x08: "a hardware slowdown"}
REASONS = {**SLOWDOWNS, 0x02: "a setting"}
NO_REASON = "no reason seen"


def clocks(results: Results) -> dict[str, Any]:
    """sm_clock of each row and its clock_share: of each process the median, of these the geometric mean, as of the time.
    Rows whose samples have no clock keep the file's."""
    rows, highest = results.rows, reals(results.devices, "clock_max")
    clock = reals(rows, "sm_clock")
    share = clock / highest.reindex(rows["device"]).to_numpy()
    of = cells(results)
    found = results.sample_columns("sm_clock") if len(of) else pd.DataFrame()
    if "sm_clock" in found:
        values = found["sm_clock"].to_numpy()[places(of["first"], of["samples"])]
        known, cell = np.isfinite(values), np.repeat(np.arange(len(of)), of["samples"])
        size = np.bincount(cell[known], minlength=len(of))
        of = of[size > 0]
        of["clock"] = np.log(quantiles(values[known], cell[known], size[size > 0], 0.5)[0])
        of["share"] = of["clock"] - np.log(highest.reindex(of["device"]).to_numpy())
        for level in (["row", "device", "process"], ["row", "device"], ["row"]):
            of = of.groupby(level, as_index=False)[["clock", "share"]].mean()
        middle = np.exp(of.set_index("row"))
        clock = middle["clock"].reindex(rows.index).fillna(clock)
        share = middle["share"].reindex(rows.index).fillna(share)
    return {"sm_clock": clock, "clock_share": share}


def masks(rows: pd.DataFrame) -> pd.Series[int]:
    """NVML's clock-event reasons of each row."""
    return reals(rows, "throttle_mask").fillna(0).astype("int64")


def is_lowered(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose clock was below STEADY; where it is not known, for which NVML told a reason to slow down."""
    share, told = reals(rows, "clock_share"), masks(rows) & sum(SLOWDOWNS) != 0
    return (share < STEADY).where(share.notna(), told)


def lowered(rows: pd.DataFrame) -> str:
    """LOWERED, with what NVML told of the rows in which it was."""
    told = masks(rows[is_lowered(rows)])
    counts = {}
    for bits, words in REASONS.items():
        counts[words] = int((told & bits != 0).sum())
        told = told[told & bits == 0]
    counts[NO_REASON] = len(told)
    parts = [f"{words} at {count}" for words, count in counts.items() if count]
    return f"{LOWERED} ({', '.join(parts)})" if parts else LOWERED
