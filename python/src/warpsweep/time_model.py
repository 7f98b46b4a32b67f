"""The time model: how long a point takes, and what bounds it, from what is known before it runs.

``predict`` takes the access columns of /results and a profile. docs/method/model.md derives the formulas and has the measurements
behind every constant. Each resource gets a time (a part); the formula that the column ``model`` names combines them. The families
of BASELINE take the times that another device needed instead. Times are seconds, sizes bytes, latencies cycles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import kernels
from .columns import reals, texts
from .condition import is_transient
from .profiles import COST, FIELDS, Profile, assume, of_device
from .profiles import profile as load_profile
from .program import shipped
from .rates import rate_of_mix
from .results import read_stored
from .rows import knows_addresses

BOUNDS = {  # the word in files: what it stands for; ties go to the earlier one
    "dram": "DRAM",
    "l2": "L2",
    "l1": "L1: requests",
    "shared": "shared memory: wavefronts",
    "issue": "instructions issued",
    "flop": "arithmetic",
    "latency": "latency: too little in flight",
    "launch": "launches of the kernel and its blocks",
    "tail": "multiprocessors without a block",
    "link": "host link",
    "peer": "link between devices",
}
TIMES = (
    "predicted_time",
    "predicted_time_low",
    "predicted_time_high",
    "headroom",
    "bound",
    "bound_second",
)
PARTS = tuple(name for name in BOUNDS if name != "tail")
WITHIN_SM = ("l1", "shared", "issue", "flop")
ACCESSES = tuple(
    f"predicted_{name}"
    for name in (  # what no hardware counter counts
        "l1_wavefronts",
        "rounds",
        "exchanges",
        "turns",
        "moved_read",
        "stored_lines",
        "stored_partly",
        "scattered_read",
        "scattered_write",
    )
)
# files of 0.5 and before lack them and keep their times
INPUTS = ("model", "footprint", "predicted_turns")

ABSENT = {
    "flops",
    "special",
    "stages",
    "shared_dynamic",
    *(
        f"predicted_{name}"
        for name in (  # NaN in these: there is none
            "load_sectors",
            "store_sectors",
            "store_requests",
            "shared_load_requests",
            "shared_store_requests",
            "shared_load_wavefronts",
            "shared_store_wavefronts",
            "l1_wavefronts",
            "rounds",
            "scattered_read",
            "scattered_write",
        )
    ),
}

Array = npt.NDArray[np.float64]  # a number for each point
Flags = npt.NDArray[np.bool_]

SECTOR, LINE = 32, 128  # bytes
OVERLAP = 2.5  # norm that combines busy resources: 1 is no overlap, infinity perfect overlap
WARP_START = 16.7  # cycles between the starts of two warps of a block
ROUND_OVERHEAD = 300.0  # cycles of a loop's barriers and address arithmetic, per round
# cycles from the last load of a block to the first instruction of the next one
BLOCK_TURNAROUND = 590.0
# resident blocks of an SM, by capability; else 32
BLOCKS_SM = {86: 16, 87: 16, 89: 24, 110: 24, 120: 24, 121: 24}
MERGED_LINES = 4.0  # stores that touch at most so many lines are merged before L2
# per cycle and SM (CUDA C++ Programming Guide, throughput of arithmetic instructions)
SPECIAL_OPERATIONS = 16
SINGLE_WAVE_COPY = 0.93  # of the DRAM roof, in a copy by one wave of blocks
SCHEDULERS = 4  # of an SM, each issues an instruction per cycle
WARP_INSTRUCTIONS, GLOBAL_INSTRUCTIONS = 15, 4  # where none were counted: of a warp; of a request
SHARED_INSTRUCTIONS, FLOP_INSTRUCTIONS = 1.5, 0.6
PORT = 64.0  # bytes per cycle between an SM and L2, or the crossbar: an assumption
BANKS = 128.0  # bytes per cycle of shared memory
SERVED_TOGETHER = 1.55  # bytes of tiles that arrive in all SMs over L2's rate of reads
GROUP_CYCLES, LOOKS = 64, 1.5  # two readings of the clock; looks at a flag until it is seen
CHASE_GROUPS = 1024  # readings of the clock of a pointer chase (kernels/ring.h)
FLIT = 16  # bytes of NVLink's unit (Foley and Danskin, IEEE Micro 37 (2), 2017)
UNSATURATED = 0.92  # of the highest clock, of products that the power limit leaves alone
POWER = 0.7  # the clock at the power limit is as this power of the share of cycles in which tensor cores are idle
NO_FORMULA = "the time model has no formula for it"
NO_SMALL_LIBRARY = "how fast the vendor's library is at small products is not known"
NO_FORMULA_ELSEWHERE = "its times are known on Hopper alone, and no formula is near them"
BASELINE_OF = 9  # the architecture of the devices in analysis/data
LIBRARY_LEAST = 2.0**35  # flops of a product at which the vendor's rates hold: 1024 x 4096 x 4096
PORTION = 20_000  # rows whose terms are in memory at a time
WIDEST = 2.0  # a factor: formulas that are off by more predict nothing
WRONG = 0.15  # predictions within this error of the measured time are counted, others listed
# Families, with a "?" their points without known addresses, with " library" the vendor's products on tensor cores. Those
# whose times on another device are a better prediction than a formula (tests/python/unseen.py), and the files of
# analysis/data that have them.
_KNOWN = kernels.every()
_KINDS = [
    (
        f"{name}{mark}",
        {of: getattr(one, f"{of}{field}", None) for of in ("error", "baseline")},
        elsewhere,
    )
    for name, one in _KNOWN.items()
    for mark, field, elsewhere in (
        ("", "", one.error_elsewhere),
        ("?", "_unknown", one.error_unknown_elsewhere),
        (" library", "_library", 0.0),
    )
]
BASELINE = {kind: of["baseline"] for kind, of, _ in _KINDS if of["baseline"]}
# By device, the factor within which 95 % of a kind's measured times lie (unseen.py as well). ELSEWHERE: of the formulas of
# kinds of BASELINE, for other architectures.
ERRORS = {kind: of["error"] for kind, of, _ in _KINDS if of["error"]}
ELSEWHERE = {kind: error for kind, _, error in _KINDS if error}
# Families whose measured points chose a constant above, or the form of a formula: the model's accuracy on them is a fit's.
FITTED = {
    name for name, one in _KNOWN.items() if one.fitted or (one.fitted is None and one.error)
} - {*BASELINE}


class _Words:
    """What the words of points say, which is the same for all values of a profile."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.model = frame, texts(frame, "model")
        arithmetic = texts(frame, "arithmetic")
        self.hot = (texts(frame, "cache") == "hot").to_numpy()
        self.linked = self.model.str.startswith("link_").to_numpy()
        self.in_dram = self.model.isin(["kernel", "tiles", "library"]).to_numpy()
        # Peaks of tensor cores are those of short bursts at the highest clock; the power limit lowers the clock.
        self.tensor = (arithmetic.str.startswith("tensor") | (arithmetic == "")).to_numpy()
        self.peak = pd.factorize("peak_" + arithmetic)
        self.library = pd.factorize(arithmetic.str.replace("tensor_", "library_"))
        self.chased = cache(partial(_chased, frame))


def _values_of(value: dict[str, float], words: tuple[Any, Any]) -> Array:
    """The values of factorized words; NaN where there is none."""
    return np.array([value.get(name, np.nan) for name in words[1]], float)[words[0]]


class _Points:
    """The points of one formula: columns and terms as arrays, and a profile's values. `own`: by the roofs of their run.

    A name that is no term is a column: NaN where a file or a point lacks it, or 0 if that says that there is none of it.
    """

    def __init__(
        self,
        words: _Words,
        value: dict[str, float],
        code: str,
        own: bool,
        formula: str,
        columns: dict[str, Array],
    ) -> None:
        self.frame, self.code, self.own = words.frame, code, own
        self.value = SimpleNamespace(**value)
        self._columns = columns  # those that were asked for, by whichever case
        v, self.model, self.hot, self.tensor = self.value, words.model, words.hot, words.tensor
        self.in_l2 = self.hot & (self.footprint <= v.l2_bytes)  # all buffers stay in L2
        self.local = self.model_devices < 2
        # Both ends of a local pair are in one device's DRAM, where each byte is read and written.
        pair = words.linked & self.local & ~self.in_l2
        self.read, self.written = (
            np.where(pair, self.bytes_read + self.bytes_written, moved)
            for moved in (self.bytes_read, self.bytes_written)
        )
        self.from_dram = words.in_dram | pair
        self.dram = tuple(
            np.where(self.from_dram & ~self.in_l2, known(moved, otherwise), 0)
            for moved, otherwise in (
                (self.predicted_dram_bytes_read, known(self.predicted_moved_read, self.read)),
                (self.predicted_dram_bytes_written, self.written),
            )
        )
        # L1 takes sectors that are asked for again from L2 once; stores go through it, merged in few lines.
        self.loaded, stored = (
            SECTOR * self.predicted_load_sectors,
            SECTOR * self.predicted_store_sectors,
        )
        loaded = np.where(
            self.loaded > 0, np.fmin(self.loaded, np.fmax(self.dram[0], self.read)), self.read
        )
        merged = np.where(
            self.predicted_stored_lines <= MERGED_LINES,
            np.fmin(stored, np.fmax(self.dram[1], self.written)),
            stored,
        )
        l2 = (
            np.where(words.in_dram, loaded, 0),
            np.where(words.in_dram, np.where(stored > 0, merged, self.written), 0),
        )
        # Resident blocks of an SM: as compiled, or else by threads and shared memory, of which the driver takes 1 KiB a block
        self.blocks = np.where(formula in ("kernel", "tiles"), self.grid_blocks, 0)
        self.threads, self.warps = self.block_threads, np.ceil(self.block_threads / 32)
        by_shared = np.floor(v.shared_sm_bytes / (self.shared_dynamic + 1024))
        most = np.fmin(
            np.floor(v.threads_sm / self.threads),
            np.where(self.shared_dynamic > 0, by_shared, np.inf),
        )
        most = np.fmin(BLOCKS_SM.get(int(v.capability), 32), np.fmax(1, most))
        compiled = np.floor(self.occupancy_theoretical * v.threads_sm / self.threads + 0.5)
        self.resident = np.where((compiled >= 1) & (code != "none"), compiled, most)
        self.places = self.resident * v.multiprocessors
        # What DRAM takes has gone through L2: its roof is no lower, whatever a short measurement says.
        self.l2_seconds = np.fmin(self._mix(l2, "l2_"), self._mix(l2, ""))
        # Scattered accesses to DRAM have their own rate; in a single wave, writes lose up to what a copy loses.
        dense, total = self._mix(self.dram, ""), self.dram[0] + self.dram[1]
        reads, writes = self.predicted_scattered_read, self.predicted_scattered_write
        share, rate = (
            np.fmax(reads, writes),
            np.where(writes > reads, v.scattered_write, v.scattered_read),
        )
        mixed = (1 - share) * dense + share * np.fmax(dense, total / rate)
        written = np.where(total > 0, np.fmin(1, 2 * (self.dram[1] / total)), 0)
        one_wave = (self.blocks > 0) & (self.blocks <= self.places)
        self.dram_seconds = np.where((total > 0) & (reads + writes > 0), mixed, dense) / np.where(
            one_wave, 1 - (1 - SINGLE_WAVE_COPY) * written, 1
        )
        self.flop_peak = _values_of(value, words.peak)
        self.library_rate = _values_of(value, words.library)
        self.flop_rate = (
            np.where(self.tensor, known(self.sm_clock / v.clock_max, 1), 1) * self.flop_peak
        )
        flops = known(self.flops_executed, self.flops)
        self.flop_seconds = np.where(flops > 0, flops / self.flop_rate, 0)
        special = self.cycles(self.special / (SPECIAL_OPERATIONS * v.multiprocessors))
        self.arithmetic_seconds = np.fmax(self.flop_seconds, special)
        self.wave = np.where(self.in_l2, v.wave_hot, v.wave_cold)

        if formula == "chase":
            chased = words.chased(v.l2_bytes)
            self.chased = chased["loads"].to_numpy(float)
            self.chased_latency = chased["field"].map(value).to_numpy(float)

    def __getattr__(self, name: str) -> Array:
        if name not in self._columns:
            column = reals(self.frame, name).to_numpy()
            self._columns[name] = known(column, 0) if name in ABSENT else column
        return self._columns[name]

    def cycles(self, count: Array) -> Array:
        return count / float(self.value.clock_max)

    def _mix(self, moved: tuple[Array, ...], level: str) -> Array:
        """Seconds of bytes (read, written) at the roofs ``peak_read``, ``_copy`` and ``_write`` of a level."""
        total = moved[0] + moved[1]
        peaks = [getattr(self.value, f"peak_{level}{way}") for way in ("read", "copy", "write")]
        return np.where(total > 0, total / rate_of_mix(moved[0] / total, *peaks), 0)


# Formulas, by the words of the column `model`: seconds of each point, and those of its parts

Solved = tuple[Array, dict[str, Array]]


def _kernel(p: _Points) -> Solved:
    """t = max(s, p, (m^2.5 + b^2.5 + a^2.5 + l^2.5)^(1/2.5)) + w, see docs/method/model.md."""
    v, sms = p.value, p.value.multiprocessors
    # L1 and shared memory serve a wavefront per cycle. If all blocks are resident, SMs with most take longest.
    uneven = np.where(p.blocks < p.places, np.ceil(p.blocks / sms) * sms / p.blocks, 1)
    wavefronts = p.predicted_shared_load_wavefronts + p.predicted_shared_store_wavefronts
    # Warp instructions: counted ones where they count, else an estimate. One of tensor cores does thousands of flops.
    instructions = (
        WARP_INSTRUCTIONS * p.blocks * p.warps
        + GLOBAL_INSTRUCTIONS * (known(p.predicted_load_requests, 0) + p.predicted_store_requests)
        + SHARED_INSTRUCTIONS
        * (p.predicted_shared_load_requests + p.predicted_shared_store_requests)
        + FLOP_INSTRUCTIONS * np.where(p.tensor, 0, p.flops) / 32
    )
    if p.code == "counted":
        instructions = known(p.instructions, instructions)
    l1, shared = (
        uneven * p.cycles(p.predicted_l1_wavefronts / sms),
        uneven * wavefronts * LINE / v.peak_shared,
    )
    issue, flop = (
        uneven * p.cycles(instructions / (SCHEDULERS * sms)),
        uneven * p.arithmetic_seconds,
    )
    # Little's law. Resident blocks are replaced one after another, each after its chain: start, a latency per turn, end.
    waves = np.ceil(p.blocks / p.places)
    turn = np.where(p.in_l2 | (p.dram[0] < 0.01 * p.loaded), v.latency_l2, v.latency_dram)
    chain = BLOCK_TURNAROUND + WARP_START * p.warps + turn
    replaced = np.fmax(0, waves - 1) * p.cycles(chain) + np.fmax(1, waves) * (
        known(p.predicted_turns, 1) - 1
    ) * p.cycles(turn + ROUND_OVERHEAD)
    # A warp waits for its loads in each round of a loop.
    rounds = p.predicted_rounds * np.fmax(1, p.blocks / p.places)
    load = np.where(p.in_l2, v.latency_l2, v.latency_dram)
    looped = np.where(rounds > 1, p.cycles(rounds * (load + ROUND_OVERHEAD)), 0)
    # Asynchronous copies are not counted as loads: the shared memory that they fill limits what is in flight.
    copied = ~np.isnan(p.predicted_load_requests) & p.from_dram & ~(p.loaded >= 0.5 * p.read)
    copies = (
        p.read
        / (p.shared_dynamic * np.fmin(p.places, p.blocks))
        * (v.latency_dram + ROUND_OVERHEAD)
    )
    latency = np.fmax(
        replaced, np.fmax(looped, np.where(copied & (p.shared_dynamic > 0), p.cycles(copies), 0))
    )
    banks, arithmetic = l1 + shared, np.fmax(issue, flop)
    memory = np.fmax(p.dram_seconds, p.l2_seconds)
    busy = sum(x**OVERLAP for x in (memory, banks, arithmetic, latency)) ** (1 / OVERLAP)
    # Barriers separate the rounds of a block: only other blocks of its SM fill the gaps.
    phases = np.where(
        looped > 0, looped + (banks + arithmetic) / np.fmin(p.resident, np.ceil(p.blocks / sms)), 0
    )
    # Blocks of a dependent launch that have room beside those of the launch before wait for its end on their SM.
    waiting = (p.dependent_launch > 0) & (2 * p.blocks <= p.places)
    wave = p.wave + p.cycles(
        WARP_START * np.fmax(0, p.warps - 8) - np.where(waiting, BLOCK_TURNAROUND, 0)
    )
    start = p.blocks / v.block_rate
    return np.fmax(np.fmax(start, busy), phases) + wave, {
        "dram": p.dram_seconds,
        "l2": p.l2_seconds,
        "l1": l1,
        "shared": shared,
        "issue": issue,
        "flop": flop,
        "launch": np.fmax(start, wave),
        "latency": latency,
    }


def _library(p: _Points) -> Solved:
    """The vendor's kernels, and calls: the bounds of their useful work, and what large products were measured to reach."""
    large = np.where(p.flops >= LIBRARY_LEAST, p.library_rate, np.nan)
    flop = np.where(p.tensor & np.isnan(p.sm_clock), p.flops / large, p.flop_seconds)
    return np.fmax(np.fmax(p.dram_seconds, p.l2_seconds), flop) + p.wave, {
        "dram": p.dram_seconds,
        "l2": p.l2_seconds,
        "flop": flop,
        "launch": p.wave,
    }


def _tiles(p: _Points) -> Solved:
    """Blocks copy slices of the operands into shared memory while they multiply others; waves of tiles."""
    v, sms = p.value, p.value.multiprocessors
    tiles, slices, stored = p.tile_count, p.tile_slices, p.tile_stored
    together = np.fmin(np.fmax(1, np.fmin(p.resident, p.tile_resident)), np.ceil(tiles / sms))
    rounds, active = np.ceil(tiles / (sms * together)), np.fmin(tiles, sms)
    l2_read, l2_write = (
        peak / (active * v.clock_max) for peak in (v.peak_l2_read, v.peak_l2_write)
    )
    # A single wave is the first to read what it reads; later ones find most of it in L2.
    latency = np.where(p.in_l2 | (rounds > 1), v.latency_l2, v.latency_dram)
    # Operations per cycle are a power of two; the power limit lowers the measured peak by less than a factor of 1.4.
    per_cycle = np.exp2(np.floor(np.log2(p.flop_peak / (v.clock_max * sms)) + 0.5))
    tensor, banks = p.tile_flops / per_cycle, p.tile_bank_bytes / BANKS
    load = latency + ROUND_OVERHEAD + p.tile_bytes_copied / np.fmin(PORT, SERVED_TOGETHER * l2_read)
    busy = together * ((tensor**OVERLAP + banks**OVERLAP) ** (1 / OVERLAP) + p.tile_apart)
    slice_ = np.where(p.tile_ahead > 0, np.fmax(busy, load / p.tile_ahead), busy + load)
    start, drain = BLOCK_TURNAROUND + WARP_START * p.tile_warps + load, stored / BANKS
    out = together * stored / np.fmin(PORT, l2_write)
    edge = (
        start + out + drain + (rounds - 1) * np.where(p.tile_persistent > 0, drain, start + drain)
    )
    total = np.fmax(rounds * slices * slice_ + edge, start + rounds * out)
    # The more cycles tensor cores are busy, the lower the clock at which the power limit is reached.
    used = np.fmin(1, tiles * slices * tensor / (sms * total))
    limited = known(v.clock_tensor, v.clock_max) * used**-POWER
    clock = known(p.sm_clock, np.fmin(limited, UNSATURATED * v.clock_max))
    return np.fmax(total / clock, p.dram_seconds) + p.wave, {
        "dram": p.dram_seconds,
        "launch": p.wave,
        "shared": rounds * together * slices * banks / clock,
        "flop": rounds * together * slices * (tensor + p.tile_apart) / clock,
        "latency": (edge + rounds * slices * np.fmax(0, slice_ - busy)) / clock,
    }


def _host_link(p: _Points) -> Solved:
    """Only the bounds: their times are the baseline's."""
    link = np.fmax(
        *(
            np.where(moved > 0, moved / peak, 0)
            for moved, peak in ((p.read, p.value.peak_h2d), (p.written, p.value.peak_d2h))
        )
    )
    return np.fmax(link, p.arithmetic_seconds), {"link": link, "flop": p.arithmetic_seconds}


def _wire_share(payload: Array, useful: Array, pull: Flags, both: Flags) -> Array:
    """Bytes on the wire per useful byte: header, byte enables of partial writes, requests of the other way's reads."""
    flits = 1.0 + (~pull & (useful < payload)) + (pull & both)
    return np.asarray((payload + FLIT * flits) / useful)


def _link(p: _Points) -> Solved:
    """Two devices, or both ends in L2 of one: the wire is a pipeline behind the blocks; the slower sets the pace."""
    v, kernel = p.value, (p.model == "link_kernel").to_numpy()
    local, both, pull, turns = p.local, p.parts > 1, p.read > 0, known(p.predicted_turns, 1)
    moved = (p.read + p.written) / np.where(both, 2, 1)  # each direction carries half of the bytes
    sectors = np.where(
        pull, p.predicted_load_sectors_per_request, p.predicted_store_sectors_per_request
    )
    payload = np.fmin(LINE, known(SECTOR * sectors, LINE))
    useful = np.where(
        np.isnan(sectors) | pull, payload, payload * p.predicted_store_efficiency / 100
    )
    # The rate of this pair, measured in the point's own process
    engine = np.where((p.link_peak > 0) & p.own, p.link_peak, v.link_copy)
    rate = np.where(kernel, np.where(pull, v.link_read, v.link_write), engine)
    whole = (LINE + FLIT) / LINE
    wire = np.where(
        local,
        moved * np.where(both, 4, 2) / v.peak_l2_copy,
        moved / rate * _wire_share(payload, useful, pull, both) / whole,
    )
    # Little's law: a block moves what it holds once per round: in turns of its warps, or all its tiles but one.
    shared, each = p.shared_dynamic, moved / p.grid_blocks
    staged = np.isnan(p.predicted_turns) & (p.stages > 1) & (shared > 0)
    tiles = shared * ((p.stages - 1) / p.stages)
    held = np.where(staged, np.fmin(tiles, each), each / turns)
    rounds = np.where(staged, np.fmax(1, each / tiles), turns)
    near = np.where(p.in_l2, v.latency_l2, v.latency_dram)
    load = np.where(pull & ~local, np.where(p.in_l2, v.link_latency, v.link_latency_dram), near)
    # The first bytes pass the port twice.
    port, flight = (
        p.cycles(2 * held / PORT),
        p.cycles(np.fmax(0, rounds - 1) * (load + ROUND_OVERHEAD + held / PORT)),
    )
    flight = np.where(kernel, np.where(flight < port, port, flight), 0)
    # As a small kernel that has its data nearer than one that pulls, and the loop around its accesses.
    wave = (
        WARP_START * np.fmax(0, p.warps - 8)
        + ROUND_OVERHEAD
        + np.where(pull & ~local, load - v.latency_l2, 0)
        + np.where((shared > 0) & (pull | local), v.latency_l2, 0)
    )
    start = np.where(
        kernel, v.wave_hot + p.cycles(wave), np.where(local, v.copy_setup, v.link_setup)
    )
    fork = np.where(local, v.link_fork, np.where(kernel, v.link_kernels, v.link_pair))
    start = start + np.where(both, fork, 0)
    return np.where(np.isnan(wire) | np.isnan(flight), np.nan, start + np.fmax(wire, flight)), {
        "l2": np.where(local, wire, 0),
        "peer": np.where(local, 0, wire),
        "latency": flight,
        "launch": start,
    }


def _chain(p: _Points) -> Solved:
    """Dependent accesses of one thread, one after another, in this device's memory or in another's."""
    v, kind, fits = p.value, p.model.str[len("chain_") :], p.chain_bytes <= p.value.l2_bytes
    # An atomic takes as long as a load in another device and in DRAM: the operation counts in this device's L2 only.
    l2 = np.where(
        ~p.local, v.link_latency, np.where(kind == "atomic", v.latency_atomic, v.latency_l2)
    )
    dram = np.where(p.local, v.latency_dram, v.link_latency_dram)
    in_l1 = (kind == "load_l1") & (p.chain_bytes <= v.shared_sm_bytes)
    again = np.where(in_l1, v.latency_l1, np.where(fits, l2, dram))
    first = np.fmin(p.chain_slots, p.chain_count)
    loads = first * np.where(fits & p.hot, l2, dram) + (p.chain_count - first) * again
    # to the other device, beyond this one's L2
    way = np.where(p.local, 0, (v.link_latency - v.latency_l2) / 2)
    # A release is a fence before its store; the store is half of a round trip to L2, and then the other side looks.
    flag = 2 * (v.latency_fence + (0.5 + LOOKS) * v.latency_l2 + way)
    total = np.where(
        kind == "fence",
        p.chain_count * (v.latency_fence + way),
        np.where(kind == "flag", p.chain_count * flag, loads),
    )
    latency, launch = (
        p.cycles(total + GROUP_CYCLES * p.chain_groups),
        np.full(len(p.frame), v.wave_hot),
    )
    return latency + launch, {"latency": latency, "launch": launch}


def _chase(p: _Points) -> Solved:
    """Dependent loads of one thread in one level of memory, of families that say which."""
    seconds = p.cycles(p.chased * p.chased_latency + GROUP_CYCLES * CHASE_GROUPS)
    launch = np.full(len(p.frame), p.value.wave_hot)
    return seconds + launch, {"latency": seconds, "launch": launch}


def _asked(frame: pd.DataFrame, l2_bytes: float = math.nan) -> SimpleNamespace:
    """What families ask of points: columns, and which points have a word."""
    return SimpleNamespace(
        of=lambda name: reals(frame, name),
        is_=lambda name, *words: texts(frame, name).isin(words),
        l2=l2_bytes,
    )


def _chased(frame: pd.DataFrame, l2_bytes: float) -> pd.DataFrame:
    """For the points of a frame that chase pointers: the field of a profile that has the latency, and how many loads."""
    found = pd.DataFrame({"field": "", "loads": np.nan}, index=frame.index)
    family, q = texts(frame, "kernel"), _asked(frame, l2_bytes)
    for name, one in kernels.of(family.unique()).items():
        for field, loads, chosen in one.chase(q) if one.chase else ():
            mine = chosen & (family == name)
            found["field"] = found["field"].mask(mine, field)
            found["loads"] = found["loads"].mask(mine, loads)
    return found


def latencies(frame: pd.DataFrame, profile: Profile) -> pd.Series[Any]:
    """What points that chase pointers measure, in cycles: a profile's latencies. NaN of other points."""
    full = assume(profile)
    field = _chased(frame, full["l2_bytes"])["field"]
    return field.map(lambda name: full[name] if name else math.nan).astype(float)


def _formula(frame: pd.DataFrame, l2_bytes: float) -> pd.Series[Any]:
    """The formula of each point. A local pair whose data leave L2 is a kernel, or a library, on one device's DRAM."""
    model, hot = texts(frame, "model"), texts(frame, "cache") == "hot"
    formula = model.replace({"shared": "kernel", "link_kernel": "link", "link_copy": "link"})
    formula = formula.mask(model.str.startswith("chain_"), "chain")
    formula = formula.mask(_chased(frame, l2_bytes)["field"] != "", "chase")
    leaves = (reals(frame, "model_devices") < 2) & ~(hot & (reals(frame, "footprint") <= l2_bytes))
    return formula.mask(leaves & (model == "link_kernel"), "kernel").mask(
        leaves & (model == "link_copy"), "library"
    )


_FORMULAS: dict[str, Callable[[_Points], Solved]] = {
    "kernel": _kernel,
    "library": _library,
    "tiles": _tiles,
    "host_link": _host_link,
    "link": _link,
    "chain": _chain,
    "chase": _chase,
}


def within(ratio: pd.Series[Any], error: float) -> pd.Series[bool]:
    """Whether a ratio is within an error of 1, either way."""
    return (ratio < 1 + error) & (ratio > 1 / (1 + error))


def known(value: Array, otherwise: float | Array) -> Array:
    return np.where(np.isnan(value), otherwise, value)


def predict(
    frame: pd.DataFrame, profile: Profile | str | None = None, code: str = "compiled"
) -> pd.DataFrame:
    """Predicted times of the points of a frame, with what bounds them.

    profile  of the device, or what ``warpsweep.profile`` reads; None takes the measured roofs of each point's own
             device (``device.peak_copy`` and so on), and what is common to H100 and H200 for the rest
    code     ``none`` uses nothing of the compiled kernel, ``compiled`` its resident blocks (``occupancy_theoretical``),
             ``counted`` its counted instructions, too

    Returns a frame with the index of ``frame``: predicted_time, predicted_time_low and predicted_time_high (s), headroom (measured
    / predicted), bound, bound_second ("none" where nothing is predicted), the time of each resource, part_dram to part_peer
    (s), and `absent`, why nothing is predicted. Rows without the inputs (files of 0.5 and before, host devices) keep the times that the file has, without parts.
    """
    out = pd.DataFrame(
        {
            **{
                name: frame.get(name, "none" if name.startswith("bound") else np.nan)
                for name in TIMES
            },
            **{f"part_{name}": np.nan for name in PARTS},
            "absent": "",
        },
        index=frame.index,
    )
    out = out.astype(dict.fromkeys(("bound", "bound_second", "absent"), object))
    if not has_inputs(frame):
        return out
    whole = load_profile(profile) if isinstance(profile, str) else profile
    devices, frame = frame.attrs.get("devices", {}), frame.iloc[:]
    # The others pandas would copy at each step.
    frame.attrs = {name: one for name, one in frame.attrs.items() if name == "unread" and one}
    portions = (frame.iloc[at : at + PORTION] for at in range(0, len(frame), PORTION))
    for full, rows in (one for portion in portions for one in _devices(portion, whole, devices)):
        formula = _formula(rows, full["l2_bytes"])
        for name, group in rows.groupby(formula, sort=False):
            if name in _FORMULAS:
                out.loc[group.index] = _solve(group, str(name), full, code, profile is None)
        out.loc[formula.index[formula == ""], list(TIMES[:4])] = np.nan
        out.loc[formula.index[formula == ""], "absent"] = NO_FORMULA
        _take_baseline(out, rows[formula != ""], full)
    return out


def kinds(frame: pd.DataFrame) -> pd.Series[Any]:
    """What BASELINE and ERRORS call each point: its family, with a "?" where addresses decide and are not known, with
    " library" the vendor's products on tensor cores."""
    family, model = texts(frame, "kernel"), texts(frame, "model")
    library = (model == "library") & texts(frame, "arithmetic").str.startswith("tensor_")
    known = knows_addresses(frame) | ~model.isin(["kernel", "shared", "library"])
    kind = family.where(known | family.isin(BASELINE), family + "?")
    return kind.mask(library & ~kind.isin(BASELINE), family + " library")


def holds(frame: pd.DataFrame) -> pd.Series[bool]:
    """The points of which ELSEWHERE speaks: no formula knows what a vendor's library does."""
    good, family = pd.Series(True, frame.index), texts(frame, "kernel")
    for name, one in kernels.of(family.unique()).items():
        own = one.holds(_asked(frame)) if one.holds else True
        good &= (family != name) | (own & ~texts(frame, one.ways).isin(one.vendor))
    return good


def errors(frame: pd.DataFrame, name: str, capability: float) -> pd.Series[Any]:
    """The factor within which 95 % of measured times lie around predicted ones, of the kind of each point, on a device
    of this name and compute capability; of a device that was not measured, the largest one, with the family left out, too. NaN: there is none."""
    factors = {
        kind: next(
            (one for of, one in known.items() if re.search(rf"\b{of}\b", name, re.I)),
            known["other"],
        )
        for kind, known in ERRORS.items()
    }
    factors |= {} if _has_baseline(capability) else ELSEWHERE
    return kinds(frame).map(factors).astype(float)


def _has_baseline(capability: float) -> bool:
    """Whether the times of an H100 say something of a device: whether it is of its architecture."""
    return capability // 10 == BASELINE_OF  # NaN: no GPU


def at_reference(rows: pd.DataFrame, other: pd.DataFrame, peak_copy: Any) -> pd.Series[Any]:
    """Seconds of points by those of ``other``, measured points of another device; NaN where it lacks a point.

    Nothing is fitted: it is the other device's time, its share bound by DRAM scaled by the ratio of the copy roofs. That
    share is the time of the DRAM bytes (counted, else predicted) at the other device's copy roof, over its time."""
    times = _at_reference(rows, other)
    return times["dram"] / peak_copy + times["rest"]


def _at_reference(rows: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Bytes of the share bound by DRAM, and seconds of the rest."""
    moved = [
        sum(reals(other, f"{of}dram_bytes_{way}") for way in ("read", "written"))
        for of in ("", "predicted_")
    ]
    roof, seconds = reals(other, "device.peak_copy"), reals(other, "time_median")
    bound = (moved[0].fillna(moved[1]).fillna(0) / roof / seconds).clip(upper=1)
    times = pd.DataFrame({"dram": seconds * bound * roof, "rest": seconds * (1 - bound)})
    return times.groupby(texts(other, "id")).first().reindex(rows["id"]).set_index(rows.index)


def _reference_file(name: str) -> Path:
    return shipped(f"analysis/data/{name}.h5")


def reference_files() -> list[Path]:
    """The measured files of BASELINE."""
    stems = sorted({stem for stems in BASELINE.values() for stem in stems})
    return [_reference_file(f"{device}-{stem}") for device in ("h100", "h200") for stem in stems]


@lru_cache(maxsize=None)
def _reference(name: str) -> pd.DataFrame:
    """The measured points of a file of analysis/data."""
    columns = [f"{of}dram_bytes_{way}" for of in ("", "predicted_") for way in ("read", "written")]
    results = read_stored(_reference_file(name), columns=columns)
    rows = results.rows[(results.rows["repeat"] == 0) & (results.rows["status"] == "ok")]
    return rows.assign(
        **{"device.peak_copy": results.devices["peak_copy"].reindex(rows["device"]).to_numpy()}
    )


def _take_baseline(out: pd.DataFrame, rows: pd.DataFrame, full: Profile) -> None:
    """Replace the times of BASELINE's points by those of the H100, an H100's by those of the H200; NaN where the file
    lacks the point. Devices of another architecture have those of the formula, if it is any good."""
    if not _has_baseline(full["capability"]):
        kind = kinds(rows)
        bad = rows.index[kind.isin(BASELINE) & ~(holds(rows) & (kind.map(ELSEWHERE) <= WIDEST))]
        out.loc[bad, [*TIMES[:4], *(f"part_{name}" for name in PARTS)]] = np.nan
        out.loc[bad, ["bound", "bound_second", "absent"]] = "none", "none", NO_FORMULA_ELSEWHERE
        return
    peak, device = full.values["peak_copy"], "h200" if "H100" in full.name else "h100"
    rows = rows[texts(rows, "model") != ""]  # those of older files keep their times
    for stems, of in rows.groupby(kinds(rows).map(BASELINE)):
        other = pd.concat([_reference(f"{device}-{stem}") for stem in stems])
        times = _at_reference(of, other)
        for name, copy in zip(TIMES, (peak.value, peak.high, peak.low)):
            out.loc[of.index, name] = times["dram"] / copy + times["rest"]
        lacks = out.loc[of.index, "predicted_time"].isna()
        out.loc[of.index, "absent"] = np.where(
            lacks, f"no file of analysis/data has its time on an {device.upper()}", ""
        )
        out.loc[of.index, "headroom"] = (
            reals(of, "time_median") / out.loc[of.index, "predicted_time"]
        )


def has_inputs(frame: pd.DataFrame) -> bool:
    """Whether a frame has the columns that the time model needs; files of 0.5 and before lack them."""
    return set(INPUTS) <= set(frame)


def fill(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the predictions of points that a GPU measured, in the columns that every file describes. Rows of
    files that have no inputs of the model keep their own."""
    if not has_inputs(frame):
        return frame
    times = predict(frame)[list(TIMES)]
    filled = frame.assign(**times.where(times.notna(), frame.reindex(columns=times.columns)))
    # predicted: the settled state
    filled["headroom"] = filled["headroom"].mask(is_transient(frame))
    filled.attrs.update(frame.attrs)
    return filled


def _devices(
    frame: pd.DataFrame, profile: Profile | None, known: dict[str, pd.Series[Any]]
) -> list[tuple[Profile, pd.DataFrame]]:
    """The whole profile and the rows of each device."""
    if profile is not None:
        return [(assume(profile), frame)]
    return [
        (assume(of_device(_device(rows, known))), rows)
        for _, rows in frame.groupby("device", sort=False)
        if texts(rows, "device.backend").iloc[0] == "cuda"
    ]


def _device(rows: pd.DataFrame, known: dict[str, pd.Series[Any]]) -> dict[str, Any]:
    """What /devices says of the device of some rows."""
    found = {name: values[rows["device"].iloc[0]] for name, values in known.items()}
    found |= rows.head(1).filter(like="device.").iloc[0].to_dict()
    return {name.partition(".")[2]: value for name, value in found.items()}


def _lacks(p: _Points, formula: str) -> npt.NDArray[np.object_]:
    """What a point needs and the profile has not, as a sentence; "": it has everything."""
    needed = pd.Series("", p.frame.index, dtype=object)
    if formula == "chase":
        needed = _chased(p.frame, p.value.l2_bytes)["field"]
    elif formula == "link":
        kernel, ways = (p.model == "link_kernel"), np.where(p.read > 0, "link_read", "link_write")
        needed = needed.mask(~p.local, pd.Series(ways, p.frame.index).where(kernel, "link_copy"))
    elif formula == "host_link":
        needed = needed.mask(p.read > 0, "peak_h2d").mask(p.written > 0, "peak_d2h")
    arithmetic = texts(p.frame, "arithmetic")
    tensor, rate = "peak_" + arithmetic, arithmetic.str.replace("tensor_", "library_")
    if formula == "library":
        tensor = tensor.mask(np.isnan(p.sm_clock), rate)
    needed = needed.mask(p.tensor, tensor)
    small = p.tensor & np.isnan(p.sm_clock) & (formula == "library") & (p.flops < LIBRARY_LEAST)
    known = needed.map(lambda name: not name or not math.isnan(getattr(p.value, name, math.nan)))
    lacks = ("the profile has no " + needed).mask(known, "")
    return lacks.mask(small & known, NO_SMALL_LIBRARY).to_numpy()


def _solve(frame: pd.DataFrame, formula: str, full: Profile, code: str, own: bool) -> pd.DataFrame:
    # The values, those of the best case, and those of the worst: rates high, latencies low, and the reverse.
    sides = [
        {
            name: getattr(full.values[name], cost if field.kind >= COST else rate)
            for name, field in FIELDS.items()
        }
        for rate, cost in (("value", "value"), ("high", "low"), ("low", "high"))
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        words, columns = _Words(frame), dict[str, Array]()
        points = [_Points(words, value, code, own, formula, columns) for value in sides]
        solved = [_FORMULAS[formula](p) for p in points]
    times = np.array([seconds for seconds, _ in solved])
    lacks = _lacks(points[0], formula)
    bad = (lacks != "") | ~(np.isfinite(times[0]) & (times[0] > 0))
    times[:, bad] = np.nan
    parts = np.array(
        [np.broadcast_to(solved[0][1].get(name, 0.0), len(frame)) for name in BOUNDS], dtype=float
    )
    # The largest and the second largest part; of equal ones the first.
    order = np.argsort(-np.where(parts > 0, parts, 0), axis=0, kind="stable")[:2]
    some = np.take_along_axis(parts, order, 0) > 0
    first, second = np.where(some & ~bad, np.array([*BOUNDS], dtype=object)[order], "none")
    idle = (
        (points[0].blocks > 0)
        & (points[0].blocks < full["multiprocessors"])
        & np.isin(first, WITHIN_SM)
    )
    # A difference of two latencies is not shortest where both are: the ends are those of all three.
    return pd.DataFrame(
        {
            "predicted_time": times[0],
            "predicted_time_low": np.fmin.reduce(times),
            "predicted_time_high": np.fmax.reduce(times),
            "headroom": frame["time_median"] / times[0] if "time_median" in frame else np.nan,
            "bound": np.where(idle, "tail", first),
            "bound_second": np.where(idle, first, second),
            **{
                f"part_{name}": np.where(bad, np.nan, part)
                for name, part in zip(BOUNDS, parts)
                if name != "tail"
            },
            "absent": np.where(
                bad & (lacks == ""), "the profile and the point do not suffice", lacks
            ),
        },
        index=frame.index,
    )
