"""The time model: how long a point takes, and what bounds it, from what is known before it runs.

``predict`` is a pure function of the access columns of /results and of a profile. docs/method/model.md derives the formulas
and has the measurements behind every constant. Each resource gets a time (a part); the formula that the column
``model`` names combines them. Times are seconds, sizes bytes, latencies cycles.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .laws import word
from .profiles import COSTS, FIELDS, SPREADS, Profile, assume, of_device
from .profiles import profile as load_profile

BOUNDS = {  # the word in files: what it stands for; ties go to the earlier one
    "dram": "DRAM", "l2": "L2", "l1": "L1: requests", "shared": "shared memory: wavefronts",
    "issue": "instructions issued", "flop": "arithmetic", "latency": "latency: too little in flight",
    "launch": "launches of the kernel and its blocks", "tail": "multiprocessors without a block", "link": "host link",
    "peer": "link between devices"}
TIMES = ("predicted_time", "predicted_time_low", "predicted_time_high", "headroom", "bound", "bound_second")
PARTS = tuple(name for name in BOUNDS if name != "tail")
WITHIN_SM = ("l1", "shared", "issue", "flop")
ACCESSES = tuple(f"predicted_{name}" for name in (  # what no hardware counter counts
    "l1_wavefronts", "rounds", "exchanges", "turns", "moved_read", "stored_lines", "stored_partly", "scattered_read",
    "scattered_write"))
INPUTS = ("model", "footprint", "predicted_turns")  # files of 0.5 and before lack them and keep their times

Array = npt.NDArray[np.float64]  # a number for each point
Flags = npt.NDArray[np.bool_]

SECTOR, LINE = 32, 128          # bytes
OVERLAP = 2.5                   # norm that combines busy resources: 1 is no overlap, infinity perfect overlap
WARP_START = 16.7               # cycles between the starts of two warps of a block
ROUND_OVERHEAD = 300.0          # cycles of a loop's barriers and address arithmetic, per round
BLOCK_TURNAROUND = 590.0        # cycles from the last load of a block to the first instruction of the next one
BLOCKS_SM = {86: 16, 87: 16, 89: 24, 110: 24, 120: 24, 121: 24}  # resident blocks of an SM, by capability; else 32
MERGED_LINES = 4.0              # stores that touch at most so many lines are merged before L2
PARTLY_WRITTEN = 2              # L2 reads and writes a sector that a warp leaves partly written
PUBLISH_TRIPS = 2               # round trips to L2 of a block that publishes its part of a reduction
BARRIER_THREADS = 16            # per cycle and SM (CUDA C++ Programming Guide, throughput of synchronization)
SPECIAL_OPERATIONS = 16         # per cycle and SM (the same, throughput of arithmetic instructions)
SINGLE_WAVE_COPY = 0.93         # of the DRAM roof, in a copy by one wave of blocks
SCHEDULERS = 4                  # of an SM, each issues an instruction per cycle
WARP_INSTRUCTIONS, GLOBAL_INSTRUCTIONS = 15, 4          # where none were counted: of a warp; of a request
SHARED_INSTRUCTIONS, FLOP_INSTRUCTIONS = 1.5, 0.6
PORT = 64.0                     # bytes per cycle between an SM and L2, or the crossbar: an assumption
BANKS = 128.0                   # bytes per cycle of shared memory
SERVED_TOGETHER = 1.55          # bytes of tiles that arrive in all SMs over L2's rate of reads
FLIT = 16                       # bytes of NVLink's unit (Foley and Danskin, IEEE Micro 37 (2), 2017)
# The factor within which 95 % of a family's measured times lie if the constants are chosen without it (tests/python/unseen.py);
# "": of points whose addresses are not known.
ERRORS = {"add": 1.09, "block_load": 1.2, "copy": 1.1, "gather": 1.44, "layout": 1.1, "lookup": 1.26, "matmul": 1.38,
          "pack_bits": 1.29, "prefetch": 1.13, "reduce": 1.21, "shared_stride": 1.03, "silu_mul": 1.15, "transpose": 1.46,
          "": 9.02}
# Families whose measured points chose a constant above, or the form of a formula: the model's accuracy on them is a fit's.
FITTED = {*ERRORS, "host_copy", "peer_copy", "peer_latency", "tensor_matmul"}
GROUP_CYCLES, LOOKS = 64, 1.5   # two readings of the clock; looks at a flag until it is seen


class _Points:
    """The points of one formula: columns as arrays of length n, a profile's values, and the parts in seconds."""

    def __init__(self, frame: pd.DataFrame, value: dict[str, float], code: str, own: bool) -> None:
        self.frame, self.value, self.code, self.own = frame, value, code, own
        self.part: dict[str, Array] = {}
        read, written = self.column("bytes_read"), self.column("bytes_written")
        in_dram = self.words("model").isin(["kernel", "tiles", "library"]).to_numpy()
        hot = (self.words("cache") == "hot").to_numpy()
        self.in_l2 = hot & (self.column("footprint") <= value["l2_bytes"])  # all buffers stay in L2
        local = self.words("model").str.startswith("link_").to_numpy() & (self.column("model_devices") < 2)
        # Both ends of a local pair are in one device's DRAM, where each byte is read and written.
        pair = local & ~self.in_l2
        self.read, self.written = np.where(pair, read + written, read), np.where(pair, read + written, written)
        flops = known(self.column("flops"), 0)
        self.flops, self.useful_flops = known(self.column("flops_executed"), flops), flops
        self.arithmetic = self.words("arithmetic")
        self.tensor = (self.arithmetic.str.startswith("tensor") | (self.arithmetic == "")).to_numpy()
        self.loaded = SECTOR * self.column("predicted_load_sectors", 0)
        self.rounds = self.column("predicted_rounds", 0)
        outside = (in_dram | pair) & ~self.in_l2
        self.dram = (np.where(outside, known(self.column("predicted_dram_bytes_read"),
                                             known(self.column("predicted_moved_read"), self.read)), 0),
                     np.where(outside, known(self.column("predicted_dram_bytes_written"), self.written), 0))
        self.l2 = self._l2_bytes(in_dram)
        self.from_dram = in_dram | pair
        self.blocks = self.threads = self.resident = np.zeros(len(frame))

    def column(self, name: str, otherwise: float = np.nan) -> Array:
        if name not in self.frame:
            return np.full(len(self.frame), otherwise)
        return known(pd.to_numeric(self.frame[name]).to_numpy(float, na_value=np.nan), otherwise)

    def words(self, name: str) -> pd.Series[Any]:
        return word(self.frame, name)

    def cycles(self, count: Array) -> Array:
        return count / self.value["clock_max"]

    def launch(self) -> None:
        """Blocks, threads, and resident blocks per SM: as compiled, or else by threads and shared memory."""
        self.blocks, self.threads = self.column("grid_blocks"), self.column("block_threads")
        most, shared = np.floor(self.value["threads_sm"] / self.threads), self.column("shared_dynamic", 0)
        system = 1024  # bytes per block that the driver takes
        most = np.where(shared > 0, np.fmin(most, np.floor(self.value["shared_sm_bytes"] / (shared + system))), most)
        most = np.fmin(BLOCKS_SM.get(int(self.value["capability"]), 32), np.fmax(1, most))
        compiled = np.floor(self.column("occupancy_theoretical") * self.value["threads_sm"] / self.threads + 0.5)
        self.resident = np.where((compiled >= 1) & (self.code != "none"), compiled, most)

    def _l2_bytes(self, in_dram: Flags) -> tuple[Array, Array]:
        """L1 takes sectors that are asked for again from L2 once; stores go through it, merged in few lines."""
        stored = SECTOR * self.column("predicted_store_sectors", 0)
        read = np.where(self.loaded > 0, np.fmin(self.loaded, np.fmax(self.dram[0], self.read)), self.read)
        merged = np.where(self.column("predicted_stored_lines") <= MERGED_LINES,
                          np.fmin(stored, np.fmax(self.dram[1], self.written)), stored)
        partly = merged * (1 + (PARTLY_WRITTEN - 1) * self.column("predicted_stored_partly"))
        return np.where(in_dram, read, 0), np.where(in_dram, np.where(stored > 0, partly, self.written), 0)

    # Memory

    def mix(self, moved: tuple[Array, Array], level: str) -> Array:
        """Seconds of bytes (read, written) at the roofs ``peak_read``, ``_copy`` and ``_write`` of a level."""
        total = moved[0] + moved[1]
        peaks = [self.value[f"peak_{level}{way}"] for way in ("read", "copy", "write")]
        rate = rate_of_mix(divide(moved[0], total), *peaks)
        return np.where(total > 0, total / rate, 0)

    def l2_seconds(self) -> Array:
        """What DRAM takes has gone through L2: its roof is no lower, whatever a short measurement says."""
        return np.fmin(self.mix(self.l2, "l2_"), self.mix(self.l2, ""))

    def dram_seconds(self) -> Array:
        """Scattered accesses have their own rate; in a single wave, writes lose up to what a copy loses."""
        dense, total = self.mix(self.dram, ""), self.dram[0] + self.dram[1]
        reads, writes = self.column("predicted_scattered_read", 0), self.column("predicted_scattered_write", 0)
        share = np.fmax(reads, writes)
        rate = np.where(writes > reads, self.value["scattered_write"], self.value["scattered_read"])
        mixed = (1 - share) * dense + share * np.fmax(dense, total / rate)
        least = np.where((total > 0) & (reads + writes > 0), mixed, dense)
        one_wave = (self.blocks > 0) & (self.blocks <= self.resident * self.value["multiprocessors"])
        written = np.where(total > 0, np.fmin(1, 2 * divide(self.dram[1], total)), 0)
        return least / np.where(one_wave, 1 - (1 - SINGLE_WAVE_COPY) * written, 1)

    # Multiprocessors

    def flop_peak(self) -> Array:
        peaks = {name[len("peak_"):]: value for name, value in self.value.items() if name.startswith("peak_")}
        return np.asarray(self.arithmetic.map(peaks), dtype=np.float64)

    def flop_rate(self) -> Array:
        """Peaks of tensor cores are those of short bursts at the highest clock; the power limit lowers the clock."""
        clock = np.where(self.tensor, known(self.column("sm_clock") / self.value["clock_max"], 1), 1)
        return clock * self.flop_peak()

    def flop_seconds(self) -> Array:
        return np.where(self.flops > 0, self.flops / self.flop_rate(), 0)

    def arithmetic_seconds(self) -> Array:
        special = self.column("special", 0) / (SPECIAL_OPERATIONS * self.value["multiprocessors"])
        return np.fmax(self.flop_seconds(), self.cycles(special))

    def instructions(self) -> Array:
        """Warp instructions: counted ones where they count, else an estimate."""
        load, store, shared_load, shared_store = (self.column(f"predicted_{name}_requests", 0) for name in (
            "load", "store", "shared_load", "shared_store"))
        flops = np.where(self.tensor, 0, self.useful_flops)  # an instruction of tensor cores does thousands
        guess = (WARP_INSTRUCTIONS * self.blocks * np.ceil(self.threads / 32)
                 + GLOBAL_INSTRUCTIONS * (load + store) + SHARED_INSTRUCTIONS * (shared_load + shared_store)
                 + FLOP_INSTRUCTIONS * flops / 32)
        return known(self.column("instructions"), guess) if self.code == "counted" else guess

    def multiprocessor_parts(self) -> None:
        """L1 and shared memory serve a wavefront per cycle. If all blocks are resident, SMs with most take longest."""
        sms = self.value["multiprocessors"]
        uneven = np.where(self.blocks < sms * self.resident, np.ceil(self.blocks / sms) * sms / self.blocks, 1)
        wavefronts = sum(self.column(f"predicted_shared_{way}_wavefronts", 0) for way in ("load", "store"))
        self.part["l1"] = uneven * self.cycles(self.column("predicted_l1_wavefronts", 0) / sms)
        self.part["shared"] = uneven * wavefronts * LINE / self.value["peak_shared"]
        self.part["issue"] = uneven * self.cycles(self.instructions() / (SCHEDULERS * sms))
        self.part["flop"] = uneven * self.arithmetic_seconds()

    # Latency: Little's law

    def exchange_cycles(self) -> Array:
        """A store to shared memory, a barrier, a load. Loops pay for theirs in each round."""
        exchanges = self.column("predicted_exchanges", 0) - np.where(self.rounds > 1, self.rounds, 0)
        return np.fmax(0, exchanges) * (2 * self.value["latency_shared"] + self.threads / BARRIER_THREADS)

    def publish_cycles(self) -> Array:
        trips = np.where(self.column("publishes") > 0, PUBLISH_TRIPS, 0)
        return trips * (self.value["latency_l2"] + ROUND_OVERHEAD)

    def waves_seconds(self) -> Array:
        """Resident blocks are replaced one after another, each after its chain: start, a latency per turn, end."""
        places, warps = self.resident * self.value["multiprocessors"], np.ceil(self.threads / 32)
        waves, again = np.ceil(self.blocks / places), self.column("predicted_turns", 1) - 1
        near = self.in_l2 | (self.dram[0] < 0.01 * self.loaded)
        latency = np.where(near, self.value["latency_l2"], self.value["latency_dram"])
        chain = BLOCK_TURNAROUND + WARP_START * warps + latency + self.exchange_cycles() + self.publish_cycles()
        total: Array = (np.fmax(0, waves - 1) * self.cycles(chain)
                        + np.fmax(1, waves) * again * self.cycles(latency + ROUND_OVERHEAD))
        return total

    def rounds_seconds(self) -> Array:
        """A warp waits for its loads in each round of a loop; their latency by the share that comes from DRAM."""
        l2, dram = self.value["latency_l2"], self.value["latency_dram"]
        mean = np.where(self.loaded > 0, l2 + (dram - l2) * np.fmin(1, divide(self.dram[0], self.loaded)), dram)
        latency = np.where(self.in_l2, l2, mean)
        rounds = self.rounds * np.fmax(1, self.blocks / (self.resident * self.value["multiprocessors"]))
        return np.where(rounds > 1, self.cycles(rounds * (latency + ROUND_OVERHEAD)), 0)

    def copies_seconds(self) -> Array:
        """Asynchronous copies are not counted as loads: the shared memory that they fill limits what is in flight."""
        held = self.column("shared_dynamic", 0)
        applies = ~np.isnan(self.column("predicted_load_requests")) & self.from_dram & (held > 0) & ~(
            self.loaded >= 0.5 * self.read)
        places = np.fmin(self.resident * self.value["multiprocessors"], self.blocks)
        return np.where(applies, self.cycles(divide(self.read, held * places)
                                             * (self.value["latency_dram"] + ROUND_OVERHEAD)), 0)

    def wave(self) -> Array:
        return np.where(self.in_l2, self.value["wave_hot"], self.value["wave_cold"])


# Formulas, by the words of the column `model`: seconds of each point; the parts go to points.part

def _kernel(p: _Points) -> Array:
    """t = max(s, p, (m^2.5 + b^2.5 + a^2.5 + l^2.5)^(1/2.5)) + w + e, see docs/method/model.md."""
    p.launch()
    sms, part = p.value["multiprocessors"], p.part
    part["dram"], part["l2"] = p.dram_seconds(), p.l2_seconds()
    p.multiprocessor_parts()
    rounds = p.rounds_seconds()
    latency = np.fmax(p.waves_seconds(), np.fmax(rounds, p.copies_seconds()))
    memory, banks = np.fmax(part["dram"], part["l2"]), part["l1"] + part["shared"]
    arithmetic = np.fmax(part["issue"], part["flop"])
    busy = sum(x ** OVERLAP for x in (memory, banks, arithmetic, latency)) ** (1 / OVERLAP)
    # Barriers separate the rounds of a block: only other blocks of its SM fill the gaps.
    together = np.fmin(p.resident, np.ceil(p.blocks / sms))
    phases = np.where(rounds > 0, rounds + (banks + arithmetic) / together, 0)
    # Blocks of a dependent launch that have room beside those of the launch before wait for its end on their SM.
    waiting = (p.column("dependent_launch") > 0) & (2 * p.blocks <= p.resident * sms)
    warps = np.ceil(p.threads / 32)
    wave = p.wave() + p.cycles(WARP_START * np.fmax(0, warps - 8) - np.where(waiting, BLOCK_TURNAROUND, 0))
    start, end = p.blocks / p.value["block_rate"], p.cycles(2 * p.publish_cycles() + p.exchange_cycles())
    part["launch"], part["latency"] = np.fmax(start, wave), np.fmax(latency, end)
    return np.fmax(np.fmax(start, busy), phases) + wave + end


def _library(p: _Points) -> Array:
    """The vendor's kernels, and calls: only the bounds of their useful work are known."""
    p.part.update(dram=p.dram_seconds(), l2=p.l2_seconds(), flop=p.flop_seconds(), launch=p.wave())
    return np.fmax(np.fmax(p.part["dram"], p.part["l2"]), p.part["flop"]) + p.part["launch"]


def _tiles(p: _Points) -> Array:
    """Blocks copy slices of the operands into shared memory while they multiply others; waves of tiles."""
    p.launch()
    v, part = p.value, p.part

    def tile(name: str) -> Array:
        return p.column(f"tile_{name}")

    sms, clock = v["multiprocessors"], known(p.column("sm_clock"), v["clock_max"])
    tiles, slices, ahead = tile("count"), tile("slices"), tile("ahead")
    together = np.fmin(np.fmax(1, np.fmin(p.resident, tile("resident"))), np.ceil(tiles / sms))
    rounds, active = np.ceil(tiles / (sms * together)), np.fmin(tiles, sms)
    l2_read, l2_write = (v[f"peak_l2_{way}"] / (active * v["clock_max"]) for way in ("read", "write"))
    # A single wave is the first to read what it reads; later ones find most of it in L2.
    latency = np.where(p.in_l2 | (rounds > 1), v["latency_l2"], v["latency_dram"])
    # Operations per cycle are a power of two; the power limit lowers the measured peak by less than a factor of 1.4.
    per_cycle = np.exp2(np.floor(np.log2(p.flop_peak() / (v["clock_max"] * sms)) + 0.5))
    tensor, banks = tile("flops") / per_cycle, tile("bank_bytes") / BANKS
    load = latency + ROUND_OVERHEAD + tile("bytes_copied") / np.fmin(PORT, SERVED_TOGETHER * l2_read)
    busy = together * ((tensor ** OVERLAP + banks ** OVERLAP) ** (1 / OVERLAP) + tile("apart"))
    slice_ = np.where(ahead > 0, np.fmax(busy, divide(load, ahead)), busy + load)
    start, drain = BLOCK_TURNAROUND + WARP_START * tile("warps") + load, tile("stored") / BANKS
    out = together * tile("stored") / np.fmin(PORT, l2_write)
    edge = start + out + drain + (rounds - 1) * np.where(tile("persistent") > 0, drain, start + drain)
    total = np.fmax(rounds * slices * slice_ + edge, start + rounds * out)
    part["flop"] = rounds * together * slices * (tensor + tile("apart")) / clock
    part["shared"] = rounds * together * slices * banks / clock
    part["latency"] = (edge + rounds * slices * np.fmax(0, slice_ - busy)) / clock
    part["dram"], part["launch"] = p.dram_seconds(), p.wave()
    seconds: Array = np.fmax(total / clock, part["dram"]) + part["launch"]
    return seconds


def _host_link(p: _Points) -> Array:
    """Each part is copied in, worked on and copied back by its stream; the slowest of the three sets the pace."""
    there, back = (np.where(moved > 0, moved / p.value[peak], 0)
                   for moved, peak in ((p.read, "peak_h2d"), (p.written, "peak_d2h")))
    work, parts = p.arithmetic_seconds(), p.column("parts")
    p.part.update(link=np.fmax(there, back), flop=work)
    slowest, total = np.fmax(p.part["link"], work), there + back + work
    pace = np.fmax(slowest, divide(total, p.column("host_streams")))
    # parts = 0: two arrays, each one way
    both = (parts == 0) & (there > 0) & (back > 0)  # false where the profile does not know the link
    return np.where(both, slowest, divide(total + (parts - 1) * pace, parts))


def _wire_share(payload: Array, useful: Array, pull: Flags, both: Flags) -> Array:
    """Bytes on the wire per useful byte: header, byte enables of partial writes, requests of the other way's reads."""
    flits = 1.0 + (~pull & (useful < payload)) + (pull & both)
    share: Array = (payload + FLIT * flits) / useful
    return share


def _link(p: _Points) -> Array:
    """Two devices, or both ends in L2 of one: the wire is a pipeline behind the blocks; the slower sets the pace."""
    v, kernel = p.value, (p.words("model") == "link_kernel").to_numpy()
    local, both, pull = p.column("model_devices") < 2, p.column("parts") > 1, p.read > 0
    moved = (p.read + p.written) / np.where(both, 2, 1)  # each direction carries half of the bytes

    def pick(condition: Any, yes: str, no: str) -> Array:
        return np.where(condition, v[yes], v[no])

    sectors = np.where(pull, *(p.column(f"predicted_{way}_sectors_per_request") for way in ("load", "store")))
    payload = np.fmin(LINE, known(SECTOR * sectors, LINE))
    useful = np.where(np.isnan(sectors) | pull, payload, payload * p.column("predicted_store_efficiency") / 100)
    # The rate of this pair, measured in the point's own process
    engine = p.column("link_peak") if p.own else np.full(len(moved), np.nan)
    rate = np.where(kernel, pick(pull, "link_read", "link_write"), np.where(engine > 0, engine, v["link_copy"]))
    whole = (LINE + FLIT) / LINE
    wire = np.where(local, moved * np.where(both, 4, 2) / v["peak_l2_copy"],
                    moved / rate * _wire_share(payload, useful, pull, both) / whole)
    # Little's law: a block moves what it holds once per round: in turns of its warps, or all its tiles but one.
    blocks, turns, stages = p.column("grid_blocks"), p.column("predicted_turns"), p.column("stages", 0)
    shared, each = p.column("shared_dynamic", 0), moved / blocks
    staged = np.isnan(turns) & (stages > 1) & (shared > 0)
    tiles = np.where(staged, shared * divide(stages - 1, stages), np.nan)
    held = np.where(staged, np.fmin(tiles, each), each / known(turns, 1))
    rounds = np.where(staged, np.fmax(1, each / tiles), known(turns, 1))
    near = pick(p.in_l2, "latency_l2", "latency_dram")
    load = np.where(pull & ~local, pick(p.in_l2, "link_latency", "link_latency_dram"), near)
    flight = p.cycles(np.fmax(0, rounds - 1) * (load + ROUND_OVERHEAD + held / PORT))
    port = p.cycles(2 * held / PORT)  # the first bytes pass the port twice
    # As a small kernel that has its data nearer than one that pulls, and the loop around its accesses.
    warps = np.ceil(p.column("block_threads") / 32)
    wave = (WARP_START * np.fmax(0, warps - 8) + ROUND_OVERHEAD + np.where(pull & ~local, load - v["latency_l2"], 0)
            + np.where((shared > 0) & (pull | local), v["latency_l2"], 0))
    start = np.where(kernel, v["wave_hot"] + p.cycles(wave), pick(local, "copy_setup", "link_setup"))
    fork = np.where(local, v["link_fork"], pick(kernel, "link_kernels", "link_pair"))
    start = start + np.where(both, fork, 0)
    flight = np.where(kernel, np.where(flight < port, port, flight), 0)
    p.part.update(l2=np.where(local, wire, 0), peer=np.where(local, 0, wire), latency=flight, launch=start)
    return np.where(np.isnan(wire) | np.isnan(flight), np.nan, start + np.fmax(wire, flight))


def _chain(p: _Points) -> Array:
    """Dependent accesses of one thread, one after another, in this device's memory or in another's."""
    v, kind = p.value, p.words("model").str[len("chain_"):]
    local, count, spread = p.column("model_devices") < 2, p.column("chain_count"), p.column("chain_bytes")
    fits = spread <= v["l2_bytes"]
    cached = fits & (p.words("cache") == "hot")
    # An atomic takes as long as a load in another device and in DRAM: the operation counts in this device's L2 only.
    l2 = np.where(~local, v["link_latency"], np.where(kind == "atomic", v["latency_atomic"], v["latency_l2"]))
    dram = np.where(local, v["latency_dram"], v["link_latency_dram"])
    again = np.where((kind == "load_l1") & (spread <= v["shared_sm_bytes"]), v["latency_l1"], np.where(fits, l2, dram))
    first = np.fmin(p.column("chain_slots"), count)
    loads = first * np.where(cached, l2, dram) + (count - first) * again
    way = np.where(local, 0, (v["link_latency"] - v["latency_l2"]) / 2)  # to the other device, beyond this one's L2
    fence = v["latency_fence"] + way
    # A release is a fence before its store; the store is half of a round trip to L2, and then the other side looks.
    flag = 2 * (v["latency_fence"] + (0.5 + LOOKS) * v["latency_l2"] + way)
    total = np.where(kind == "fence", count * fence, np.where(kind == "flag", count * flag, loads))
    p.part["latency"] = p.cycles(total + GROUP_CYCLES * p.column("chain_groups"))
    p.part["launch"] = np.full(len(p.frame), v["wave_hot"])
    return p.part["latency"] + p.part["launch"]


def _formula(frame: pd.DataFrame, l2_bytes: float) -> pd.Series[Any]:
    """The formula of each point. A local pair whose data leave L2 is a kernel, or a library, on one device's DRAM."""
    model, hot = word(frame, "model"), word(frame, "cache") == "hot"
    formula = model.replace({"shared": "kernel", "link_kernel": "link", "link_copy": "link"})
    formula = formula.mask(model.str.startswith("chain_"), "chain")
    leaves = (frame["model_devices"] < 2) & ~(hot & (frame["footprint"] <= l2_bytes))
    return formula.mask(leaves & (model == "link_kernel"), "kernel").mask(leaves & (model == "link_copy"), "library")


_FORMULAS: dict[str, Callable[[_Points], Array]] = {
    "kernel": _kernel, "library": _library, "tiles": _tiles, "host_link": _host_link, "link": _link, "chain": _chain}


def known(value: Array, otherwise: float | Array) -> Array:
    return np.where(np.isnan(value), otherwise, value)


def divide(a: Array, b: Array) -> Array:
    """a / b; NaN or infinity where b is 0, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(a, float) / b


def rate_of_mix(read: Array, peak_read: float, peak_copy: float, peak_write: float) -> Array:
    """bytes/s of a mix with the share ``read`` of reads: linear in seconds per byte between reads, copies, writes."""
    edge = np.where(read >= 0.5, peak_read, peak_write)
    edge = known(edge, peak_copy)
    share = np.abs(2 * read - 1)  # position between a copy (0) and the edge (1)
    return np.where(share == 1, edge, 1 / ((1 - share) / peak_copy + share / edge))


def predict(frame: pd.DataFrame, profile: Profile | str | None = None, code: str = "compiled") -> pd.DataFrame:
    """Predicted times of the points of a frame, with what bounds them.

    profile  of the device, or what ``warpsweep.profile`` reads; None takes the measured roofs of each point's own
             device (``device.peak_copy`` and so on), and what is common to H100 and H200 for the rest
    code     ``none`` uses nothing of the compiled kernel, ``compiled`` its resident blocks (``occupancy_theoretical``),
             ``counted`` its counted instructions, too

    Returns a frame with the index of ``frame``: predicted_time, predicted_time_low and predicted_time_high (s),
    headroom (measured / predicted), bound, bound_second ("none" where nothing is predicted), and the time of each
    resource, part_dram to part_peer (s). Rows without the inputs (files of 0.5 and before, host devices) keep the times
    that the file has, without parts.
    """
    out = pd.DataFrame({**{name: frame.get(name, "none" if name.startswith("bound") else np.nan) for name in TIMES},
                        **{f"part_{name}": np.nan for name in PARTS}}, index=frame.index)
    out = out.astype({"bound": object, "bound_second": object})
    if not set(INPUTS) <= set(frame):
        return out
    for full, rows in _devices(frame, load_profile(profile) if isinstance(profile, str) else profile):
        formula = _formula(rows, full["l2_bytes"])
        for name, group in rows.groupby(formula, sort=False):
            if name in _FORMULAS:
                out.loc[group.index] = _solve(group, _FORMULAS[name], full, code, profile is None)
        out.loc[formula.index[formula == ""], list(TIMES[:4])] = np.nan
    return out


def fill(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the predictions of points that a GPU measured, in the columns that every file describes. Rows of
    files that have no inputs of the model keep their own."""
    if not set(INPUTS) <= set(frame):
        return frame
    times = predict(frame)[list(TIMES)]
    filled = frame.assign(**times.where(times.notna(), frame.reindex(columns=times.columns)))
    filled.attrs.update(frame.attrs)
    return filled


def _devices(frame: pd.DataFrame, profile: Profile | None) -> list[tuple[Profile, pd.DataFrame]]:
    """The whole profile and the rows of each device."""
    if profile is not None:
        return [(assume(profile), frame)]
    return [(assume(of_device(rows.iloc[0].filter(like="device.").rename(lambda name: name[len("device."):]))), rows)
            for _, rows in frame.groupby("device", sort=False) if rows.iloc[0].get("device.backend") == "cuda"]


def _solve(frame: pd.DataFrame, formula: Callable[[_Points], Array], full: Profile, code: str,
           own: bool) -> pd.DataFrame:
    # The values, those of the best case, and those of the worst: rates high, latencies low, and the reverse.
    costs = {**COSTS, **SPREADS}
    sides = [{name: getattr(full.values[name], cost if name in costs else rate) for name in FIELDS}
             for rate, cost in (("value", "value"), ("high", "low"), ("low", "high"))]
    with np.errstate(divide="ignore", invalid="ignore"):
        points = [_Points(frame, value, code, own) for value in sides]
        times = np.array([formula(p) for p in points])
        unknown = np.any([p.tensor & np.isnan(p.flop_rate()) for p in points], axis=0)
    bad = unknown | ~(np.isfinite(times[0]) & (times[0] > 0))
    times[:, bad] = np.nan
    parts = np.array([np.broadcast_to(points[0].part.get(name, 0.0), len(frame)) for name in BOUNDS], dtype=float)
    # The largest and the second largest part; of equal ones the first.
    order = np.argsort(-np.where(parts > 0, parts, 0), axis=0, kind="stable")[:2]
    some = np.take_along_axis(parts, order, 0) > 0
    first, second = np.where(some & ~bad, np.array([*BOUNDS], dtype=object)[order], "none")
    idle = (points[0].blocks > 0) & (points[0].blocks < full["multiprocessors"]) & np.isin(first, WITHIN_SM)
    # A difference of two latencies is not shortest where both are: the ends are those of all three.
    return pd.DataFrame({
        "predicted_time": times[0], "predicted_time_low": np.fmin.reduce(times),
        "predicted_time_high": np.fmax.reduce(times),
        "headroom": frame["time_median"] / times[0] if "time_median" in frame else np.nan,
        "bound": np.where(idle, "tail", first), "bound_second": np.where(idle, first, second),
        **{f"part_{name}": np.where(bad, np.nan, part) for name, part in zip(BOUNDS, parts) if name != "tail"}},
        index=frame.index)
