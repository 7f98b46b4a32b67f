"""The state of the machine while the samples that made a time were taken: the SM clock, and what lowered it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .columns import reals
from .estimates import cells, means
from .statistics import places, quantiles
from .units import plural, span

if TYPE_CHECKING:
    from .results import Results

STEADY = 0.98  # of a device's highest clock: below, a time depends on the clock
LOWERED = f"SM clock below {100 * STEADY:.0f} % of its highest while the point was timed"
# What NVML's clock-event reasons say, by their bits.
SLOWDOWNS = {0x84: "the power limit", 0x60: "heat", 0x08: "a hardware slowdown"}
REASONS = {**SLOWDOWNS, 0x02: "a setting"}
TRANSIENT = "transient clock"  # in a file's timing
QUARTER = 2  # samples, at least
FALL = 0.01  # of the clock: steady ones fall by less than half of it
NO_REASON = "no reason seen"


def _of_processes(results: Results, column: str) -> pd.DataFrame:
    """row, device, process, value: the logarithm of the median of a column of /samples in each process; of known values."""
    of = cells(results)
    found = results.sample_columns(column) if len(of) else pd.DataFrame()
    if column not in found:
        return of.iloc[:0].assign(value=[])
    values = found[column].to_numpy()[places(of["first"], of["samples"])]
    known, cell = np.isfinite(values), np.repeat(np.arange(len(of)), of["samples"])
    size = np.bincount(cell[known], minlength=len(of))
    of = of[size > 0]
    return of.assign(value=np.log(quantiles(values[known], cell[known], size[size > 0], 0.5)[0]))


def _pooled(of: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The geometric mean of each row over processes, then devices, as of the time."""
    for level in (["row", "device", "process"], ["row", "device"], ["row"]):
        of = means(of.reset_index(), level, [*names])
    return np.exp(of)


def clocks(results: Results) -> dict[str, Any]:
    """sm_clock of each row and its clock_share, pooled as the time is. Rows whose samples have no clock keep the file's."""
    rows, highest = results.rows, reals(results.devices, "clock_max")
    clock = reals(rows, "sm_clock")
    share = clock / highest.reindex(rows["device"]).to_numpy()
    of = _of_processes(results, "sm_clock")
    of["share"] = of["value"] - np.log(highest.reindex(of["device"]).to_numpy())
    middle = _pooled(of, "value", "share").reindex(rows.index)
    return {"sm_clock": middle["value"].fillna(clock), "clock_share": middle["share"].fillna(share)}


def loads(results: Results, seconds: pd.Series[float]) -> dict[str, Any]:
    """load_power and load_energy of each row: the board's power while it was sampled, and what a launch takes of it."""
    watts = _pooled(_of_processes(results, "power"), "value")["value"].reindex(results.rows.index)
    return {"load_power": watts, "load_energy": watts * seconds}


def masks(rows: pd.DataFrame) -> pd.Series[int]:
    """NVML's clock-event reasons of each row."""
    return reals(rows, "throttle_mask").fillna(0).astype("int64")


def is_lowered(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows whose clock was below STEADY; where it is not known, for which NVML told a reason to slow down."""
    share, told = reals(rows, "clock_share"), masks(rows) & sum(SLOWDOWNS) != 0
    return (share < STEADY).where(share.notna(), told)


def follows_loads(results: Results) -> bool:
    """Whether the samples of a file follow loads from their first launch on."""
    return TRANSIENT in (results.env("timing") or "")


def is_transient(rows: pd.DataFrame) -> pd.Series[bool]:
    """Rows of a frame whose samples follow a load from its first launch on: their medians are of no state."""
    heating = [at for at, one in enumerate(rows.attrs.get("results", ())) if follows_loads(one)]
    return reals(rows, ".file_number").isin(heating)


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


def falls(results: Results) -> pd.Series[float]:
    """By how much the SM clock of each row fell from the first to the last quarter of a process's samples, at most; 0 where
    it is not known, or where samples follow loads on purpose. Made once."""
    if results.falls is not None:
        return results.falls
    of = cells(results)
    of = of[(of["samples"] >= 4 * QUARTER) & (not follows_loads(results))]
    samples = results.sample_columns("sm_clock") if len(of) else pd.DataFrame()
    fall = pd.Series(dtype=float)
    if "sm_clock" in samples:
        count = of["samples"].to_numpy() // 4
        cell, clock = np.repeat(np.arange(len(of)), count), samples["sm_clock"].to_numpy()
        early, late = (
            pd.Series(clock[places(first, count)]).groupby(cell).median().to_numpy()
            for first in (of["first"], of["first"] + of["samples"] - count)
        )
        fall = pd.Series(1 - late / early).groupby(of["row"].to_numpy()).max()
    results.falls = fall.reindex(results.rows.index).fillna(0.0)
    return results.falls


def unsettled(rows: pd.DataFrame) -> str:
    """ "" or how many rows of a frame, or of a table of its points, were sampled while their clock fell, and by how much."""
    groups, found = rows.attrs.get("groups", {}), pd.Series(0.0, rows.index)
    for one in rows.attrs.get("results", ()) if "id" in rows else ():
        labels = [label for label, group in groups.items() if group.file == one.name]
        of = falls(one)[one.rows["repeat"] <= 0].groupby(one.rows["id"]).max()  # no canaries
        found = found.mask(rows[".source"].isin(labels), rows["id"].map(of).fillna(0.0))
    found = found[found > FALL]
    if found.empty:
        return ""
    return (
        f"The SM clock fell by {span(100 * found.min(), 100 * found.max())} % while {plural(len(found), 'point')} "
        f"{'was' if len(found) == 1 else 'were'} sampled: {'its time is' if len(found) == 1 else 'their times are'} of no settled clock"
    )
