"""What readers derive from what a results file stores: medians over samples, rates, roofs, the share of the roof, scatter and
95 % intervals. Files of earlier releases have such columns too; they are replaced, so that all files follow the same rules."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from . import kernels
from .columns import Column, reals, texts
from .condition import clocks, loads
from .estimates import cells, finish, means, of_file
from .statistics import MAD_TO_SD, places, quantiles
from .stored import in_pieces

if TYPE_CHECKING:
    from .results import Results

# name | type | role | unit | meaning
_DERIVED = """\
canary | integer | identity |  | 1 when the row is a canary's repetition: leave it out of \
figures; else 0
time_ci_low | real | time | s | lower end of its 95 % confidence interval over samples, \
processes, devices
time_ci_high | real | time | s | upper end of that interval
time_mean | real | time | s | mean of the samples
time_min | real | time | s | fastest sample
time_p05 | real | time | s | 5th percentile of the samples
time_p95 | real | time | s | 95th percentile of the samples
time_mad | real | time | s | median absolute deviation of the samples, unscaled
bandwidth | real | rate | bytes/s | (bytes_read + bytes_written) / time_median
bandwidth_low | real | rate | bytes/s | the same at time_ci_high
bandwidth_high | real | rate | bytes/s | the same at time_ci_low
flop_rate | real | rate | flop/s | flops / time_median
flop_rate_executed | real | rate | flop/s | flops_executed / time_median; flop_rate is that of a \
dense product of the size
bus_bandwidth | real | rate | bytes/s | bus_bytes / time_median
fraction_nominal | real | rate |  | bandwidth / the nominal bandwidth of the memory, or of the link
fraction_datasheet | real | rate |  | bandwidth / the device's data-sheet bandwidth
fraction_peak | real | rate |  | seconds at the peak of what bounds the point (roof) / \
time_median
fraction_peak_low | real | rate |  | lower end of that share: 95 % interval of the time, range \
of the roof if it is known
fraction_peak_high | real | rate |  | upper end; below 1: truly below the roof
roof_rate | real | rate |  | that peak for the point's own mix: bytes/s, or flop/s for the flop \
roofs
roof_rate_low | real | rate |  | the same at the 5th percentile of the launches that measured \
the peaks
roof_rate_high | real | rate |  | the same at their 95th percentile
devices | real | sampling |  | devices that measured the point
sd_sample | real | time |  | relative standard deviation of samples within a process (by the MAD)
sd_process | real | time |  | what processes add to that; missing: one process
sd_device | real | time |  | what devices add to that; missing: one device
sm_clock | real | environment | Hz | SM clock over the samples, pooled as time_median is
clock_share | real | environment |  | sm_clock / the highest clock of the device; a clock below 0.98 is lowered
load_power | real | energy | W | board power over the samples, pooled as time_median is; missing: the clock was not lowered
load_energy | real | energy | J | load_power * time_median: of a launch, with what the idle board takes
latency_seconds | real | time | s | latency_p50 / sm_clock
dram_ratio | real | prediction |  | (dram_bytes_read + dram_bytes_written) / \
(predicted_dram_bytes_read + predicted_dram_bytes_written)
energy_per_bit | real | energy | J/bit | energy / (8 * (bytes_read + bytes_written)): of useful \
bytes
energy_per_flop | real | energy | J/flop | energy / flops; in pJ it is J per TFLOP
energy_per_dram_bit | real | energy | J/bit | energy / (8 * (dram_bytes_read + dram_bytes_written))
"""
# The same of the time model, which files of 0.5 and before, and those that `predict` makes, store.
_PREDICTED = """\
predicted_time | real | prediction | s | what time_median is by the time model \
(docs/method/model.md)
predicted_time_low | real | prediction | s | the same at the best ends of the profile's intervals; in \
files of `predict` also by the model's error on the kernel, NaN where that was never measured
predicted_time_high | real | prediction | s | the same at their worst ends
headroom | real | prediction |  | time_median / predicted_time
bound | text | prediction |  | what holds the point up by the time model: dram, l2, l1, shared, \
issue, flop, latency, launch, tail, link; none: no prediction
bound_second | text | prediction |  | what would hold it up next
"""


def _table(text: str) -> dict[str, Column]:
    columns = {}
    for line in text.splitlines():
        name, kind, role, unit, meaning = line.split(" | ")
        columns[name] = Column(name, kind, role, unit, meaning)
    return columns


DERIVED, PREDICTED = _table(_DERIVED), _table(_PREDICTED)
PORTION = 50_000  # rows whose estimates are in memory at a time
INTERVAL_MAX = 1e4  # high / low: a wider interval says nothing, and is missing
FAR_ABOVE = 1.5  # of a roof: no error of measurement
ARITHMETIC = ("flop_", "tensor_")
# Quotients of work and time: where such a column has no ends of its own, its interval is that of the time.
TIMED = "bandwidth flop_rate flop_rate_executed bus_bandwidth fraction_nominal fraction_datasheet".split()
# That every reader has; the others where they are asked for.
ALWAYS = {
    *"canary time_ci_low time_ci_high bandwidth bandwidth_low bandwidth_high flop_rate bus_bandwidth".split(),
    *"fraction_peak fraction_peak_low fraction_peak_high roof_rate roof_rate_low roof_rate_high".split(),
    *"sm_clock clock_share".split(),
}
_SHARED = (
    f"predicted_shared_{of}_{what}"
    for of in ("load", "store")
    for what in ("wavefronts", "conflicts")
)
_DRAM = ("dram_bytes_read", "dram_bytes_written")
# What each is derived from; "": those of ALWAYS, and what is said of samples, scatter and vendors.
INPUTS = {
    "": {
        *"time_median time_ci_low time_ci_high cache roof roof_links link_peak".split(),
        *"bytes_read bytes_written bus_bytes flops flops_executed sm_clock throttle_mask".split(),
        *_SHARED,
    },
    "load_power": set(),
    "load_energy": set(),
    "latency_seconds": {"latency_p50"},
    "dram_ratio": {*_DRAM, *(f"predicted_{name}" for name in _DRAM)},
    "energy_per_bit": {"energy"},
    "energy_per_flop": {"energy"},
    "energy_per_dram_bit": {"energy", *_DRAM},
}


def derive(results: Results, columns: Collection[str] | None = None) -> pd.DataFrame:
    """The rows with the derived columns behind the time. Rows without samples, which were predicted, keep the interval of
    their time that the file has. ``columns``: what is asked for, beside ALWAYS; None: all."""
    rows = results.rows
    wanted = [name for name in DERIVED if columns is None or name in ALWAYS or name in columns]
    if "roof" not in rows:  # releases before 0.2 compared with the roof of a copy
        words = {True: "dram_mix", False: "none"}
        rows["roof"] = (texts(rows, "status") == "ok").map(words).astype(object)
    ok = (texts(rows, "status") == "ok") & (reals(rows, "time_median") > 0)
    seconds = reals(rows, "time_median").where(ok)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: dict[str, Any] = {"canary": (rows["repeat"] > 0).astype(float)}
        if not ALWAYS.issuperset(wanted):
            found |= _scatter(results, rows.index)
        found |= _interval(results, seconds) | clocks(results)
        if {"load_power", "load_energy"}.intersection(wanted):
            found |= loads(results, seconds)
        found |= _rates(rows, seconds, found["sm_clock"])
        found |= _shares(results, rows, seconds, found)
    new = {name: np.asarray(found[name]) for name in wanted}
    stored = {name: one for name, one in rows.items() if name not in DERIVED}
    place = list(stored).index("time_median") + 1 if "time_median" in stored else len(stored)
    before = dict(list(stored.items())[:place])
    return in_pieces({**before, **new, **stored})


def _interval(results: Results, seconds: pd.Series[float]) -> dict[str, Any]:
    """Of the time: by the one estimator, put around the file's median, which is the same but for rounding."""
    rows = results.rows
    low, high = (
        reals(rows, f"time_ci_{end}").where(reals(rows, "sample_count") == 0)
        for end in ("low", "high")
    )
    measured = seconds.index[(reals(rows, "sample_count") > 0) & seconds.notna()]
    if not len(measured):
        results.sample_columns()  # checked all the same
    else:
        every = of_file(results)  # estimates have many columns, of which three are kept
        portions = (measured[at : at + PORTION] for at in range(0, len(measured), PORTION))
        found = pd.concat([finish(every.of(of))[["seconds", "low", "high"]] for of in portions])
        found = found.where(found["high"] <= INTERVAL_MAX * found["low"])
        middle = seconds[measured] / found["seconds"]
        low.loc[measured] = rounded((middle * found["low"]).to_numpy(float))
        high.loc[measured] = rounded((middle * found["high"]).to_numpy(float))
    return {"time_ci_low": low, "time_ci_high": high}


def rounded(values: np.ndarray) -> np.ndarray:
    """To 8 digits, in which the distributions of all versions of SciPy agree: files read alike everywhere."""
    scale = 10.0 ** (8 - np.ceil(np.log10(np.abs(values))))
    return np.where(np.isfinite(scale), np.round(values * scale) / scale, values)


def _rates(
    rows: pd.DataFrame, seconds: pd.Series[float], clock: pd.Series[float]
) -> dict[str, Any]:
    """What is a quotient of stored numbers."""
    energy, flops = reals(rows, "energy"), reals(rows, "flops")
    useful = reals(rows, "bytes_read") + reals(rows, "bytes_written")
    dram, predicted = (
        reals(rows, f"{of}dram_bytes_read") + reals(rows, f"{of}dram_bytes_written")
        for of in ("", "predicted_")
    )
    return {
        "bandwidth": useful / seconds,
        "flop_rate": flops / seconds,
        "flop_rate_executed": reals(rows, "flops_executed") / seconds,
        "bus_bandwidth": reals(rows, "bus_bytes") / seconds,
        "latency_seconds": reals(rows, "latency_p50") / clock,
        "dram_ratio": dram / predicted.where(predicted > 0),
        "energy_per_bit": energy / (8 * useful.where(useful > 0)),
        "energy_per_flop": energy / flops.where(flops > 0),
        "energy_per_dram_bit": energy / (8 * dram.where(dram > 0)),
    }


# ---- Scatter ----


def _scatter(results: Results, index: pd.Index[Any]) -> dict[str, Any]:
    """Order statistics over all samples of a row, whichever process took them, and what each level adds to their scatter."""
    names = ("time_mean", "time_min", "time_p05", "time_p95", "time_mad", "devices")
    out = {name: np.full(len(index), np.nan) for name in (*names, "sd_sample")}
    out |= {name: np.full(len(index), np.nan) for name in ("sd_process", "sd_device")}
    of = cells(results)
    if not len(of):
        return out
    values = results.sample_columns("seconds")["seconds"].to_numpy()[
        places(of["first"], of["samples"])
    ]
    row, cell = of["row"].to_numpy(), np.arange(len(of))
    at, number = np.unique(row, return_inverse=True)
    in_cell, in_row = (np.repeat(one, of["samples"]) for one in (cell, number))
    size = np.bincount(in_row)
    out["time_mean"][at] = np.bincount(in_row, values) / size
    low, p05, middle, p95 = quantiles(values, in_row, size, 0, 0.05, 0.5, 0.95)
    out["time_min"][at], out["time_p05"][at], out["time_p95"][at] = low, p05, p95
    out["time_mad"][at] = quantiles(np.abs(values - middle[in_row]), in_row, size, 0.5)[0]
    size = of["samples"].to_numpy()
    median = quantiles(values, in_cell, size, 0.5)[0]
    mad = quantiles(np.abs(values - median[in_cell]), in_cell, size, 0.5)[0]
    spread = of.assign(square=(MAD_TO_SD * mad / median) ** 2).groupby("row")["square"].mean()
    out["sd_sample"][at] = np.sqrt(spread)
    out["devices"][at] = of.groupby("row")["device"].nunique()
    several = of[of.groupby("row")["row"].transform("size") > 1]
    for name, variance in _components(several).items():
        out[f"sd_{name}"][variance.index] = np.sqrt(np.maximum(variance, 0))
    return out


def _components(of: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """The variance that processes add to the logarithm of a row's time, and devices; NaN: no level has two members. One may
    be slightly negative, so that means over points are unbiased."""
    within = of["variance"].fillna(0).groupby(of["row"]).mean()
    processes = means(of, ["row", "device", "process"], ["log_median"])["log_median"]
    by_device = processes.groupby(["row", "device"]).agg(["mean", "var", "size"])
    by_row = by_device.groupby("row")
    between = by_row["var"].mean()
    members = by_row.size() / (1 / by_device["size"]).groupby("row").sum()
    below = (between / members).fillna(within)
    return {"process": between - within, "device": by_row["mean"].var() - below}


# ---- Roofs ----


def rate_of_mix(read: Any, peak_read: Any, peak_copy: Any, peak_write: Any) -> Any:
    """bytes/s of a mix with the share ``read`` of reads: linear in seconds per byte between reads, copies, writes."""
    edge = np.where(read >= 0.5, peak_read, peak_write)
    edge = np.where(np.isnan(edge), peak_copy, edge)
    share = np.abs(2 * read - 1)  # position between a copy (0) and the edge (1)
    return np.where(share == 1, edge, 1 / ((1 - share) / peak_copy + share / edge))


def _shares(
    results: Results, rows: pd.DataFrame, seconds: pd.Series[float], known: dict[str, Any]
) -> dict[str, Any]:
    """The rates of the roofs and the shares of them, and of what the vendor states."""
    links, kind = _links(rows), texts(rows, "roof")
    at = results.devices.index.get_indexer(rows["device"])  # -1: none
    useful = reals(rows, "bytes_read") + reals(rows, "bytes_written")
    flops = reals(rows, "flops_executed").fillna(reals(rows, "flops"))
    work = flops.where(kind.str.startswith(ARITHMETIC), useful)
    rate, low, high = _roof_rates(rows, results.devices, at, links)
    share = work / rate / seconds
    # A family that is far above arithmetic without tensor cores uses these, and the file does not say it.
    other = kind.str.startswith("flop_")
    middle = share.where(other).groupby([rows["kernel"], rows["device"]]).transform("median")
    other &= middle > FAR_ABOVE
    rows.loc[other, "roof"] = "none"
    rate, low, high, share = (one.mask(other) for one in (rate, low, high, share))
    down = np.hypot(np.log(known["time_ci_high"] / seconds), np.log(high / rate).fillna(0))
    up = np.hypot(np.log(seconds / known["time_ci_low"]), np.log(rate / low).fillna(0))
    bandwidth = known["bandwidth"]
    stated, datasheet, link = (
        np.append(reals(results.devices, name), np.nan)[at]
        for name in ("nominal", "datasheet", "link_nominal")
    )
    alone = ~rows["kernel"].isin(rows["kernel"][links.notna()].unique())
    dram = kind.str.startswith("dram_") & ~(links == 0)
    dram |= kind.str.startswith(ARITHMETIC) & (bandwidth > 0) & alone
    remote = bandwidth / link / links.where(links > 0)
    return {
        "bandwidth_low": useful / known["time_ci_high"],
        "bandwidth_high": useful / known["time_ci_low"],
        "fraction_nominal": (bandwidth / stated).where(dram, remote),
        "fraction_datasheet": (bandwidth / datasheet).where(dram),
        "fraction_peak": share,
        "fraction_peak_low": rounded((share * np.exp(-down)).to_numpy()),
        "fraction_peak_high": rounded((share * np.exp(up)).to_numpy()),
        "roof_rate": rate,
        "roof_rate_low": low,
        "roof_rate_high": high,
    }


def _links(rows: pd.DataFrame) -> pd.Series[float]:
    """Links between devices that a point uses at once; 0: within one device. Files of 0.6 and before do not say it."""
    told, bus = reals(rows, "roof_links"), reals(rows, "bus_bytes")
    useful = reals(rows, "bytes_read") + reals(rows, "bytes_written")
    remote = texts(rows, "roof") == "link_peer"
    links = (useful / bus).where(bus > 0, 1.0).where(remote)
    for name, family in kernels.of(rows["kernel"].unique()).items():
        for (axis, word), count in family.links.items():
            if axis in rows:
                links = links.mask((rows["kernel"] == name) & (rows[axis] == word), count)
    return told.fillna(links)


def _roof_rates(
    rows: pd.DataFrame, devices: pd.DataFrame, at: np.ndarray, links: pd.Series[float]
) -> list[pd.Series[float]]:
    """Of each row's roof; at the low and at the high end of the ranges of the device's peaks, NaN if none has a range."""
    kind, read, written = (
        texts(rows, "roof").to_numpy(),
        _floats(rows, "bytes_read"),
        _floats(rows, "bytes_written"),
    )
    useful, local = read + written, (links == 0).to_numpy()
    clean = (texts(rows, "cache") == "clean").to_numpy()
    size = np.append(reals(devices, "l2_bytes"), np.nan)[at]
    # Clean lines of L2 may take what is written, and keep it: as much as L2 has at most.
    kept = np.where(clean, np.minimum(written, size), 0)
    of_reads = np.where(local, 0.5, read / (useful - kept))

    @cache
    def peak(name: str, end: str) -> np.ndarray:
        known = reals(devices, f"peak_{name}{end}").fillna(reals(devices, f"peak_{name}"))
        return np.append(known, np.nan)[at]

    @cache
    def of_mix(level: str, end: str) -> np.ndarray:
        peaks = (peak(f"{level}{way}", end) for way in ("read", "copy", "write"))
        # Within one device each byte is both read and written.
        mixed = rate_of_mix(of_reads, *peaks) * useful / (useful - kept)
        return np.asarray(mixed * (1 - 0.5 * local))

    def of_kind(name: str, end: str) -> np.ndarray:
        if name.startswith(("dram_", "l2")):
            return of_mix("l2_" if name.startswith("l2") else "", end)
        if name in ("link_h2d", "link_d2h"):
            # The two directions of the host link are independent: the slower one is the roof.
            down, up = read / peak("h2d", end), written / peak("d2h", end)
            return useful / np.fmax(
                np.where(read > 0, down, np.nan), np.where(written > 0, up, np.nan)
            )
        if name == "shared":
            return peak("shared", end) * _words_a_lane(rows).to_numpy()
        if name == "link_peer" and not end:
            return _floats(rows, "link_peak") * links.to_numpy()
        return peak(name, end) if name.startswith(ARITHMETIC) else np.full(len(rows), np.nan)

    places, found = {name: kind == name for name in pd.unique(kind)}, []
    for end in ("", "_low", "_high"):
        rate = np.full(len(rows), np.nan)
        for name, there in places.items():
            rate[there] = of_kind(name, end)[there]
        ranges = devices.filter(regex=f"^peak_.*{end}$").notna().any(axis=1)
        found.append(pd.Series(rate, rows.index).where(np.append(ranges, False)[at]))
    return found


def _floats(rows: pd.DataFrame, name: str) -> np.ndarray:
    return reals(rows, name).to_numpy()


def _words_a_lane(rows: pd.DataFrame) -> pd.Series[float]:
    """Bytes that lanes receive for each byte that shared memory serves without conflicts: its peak was measured with a
    word of its own for each lane, 128 bytes per wavefront. 1 where the access model does not know it."""
    reads = reals(rows, "bytes_read") > 0
    useful = reals(rows, "bytes_read").where(reads, reals(rows, "bytes_written"))
    wavefronts, conflicts = (
        reals(rows, f"predicted_shared_load_{what}").where(
            reads, reals(rows, f"predicted_shared_store_{what}")
        )
        for what in ("wavefronts", "conflicts")
    )
    served = 128 * (wavefronts - conflicts)
    return (useful / served).where((served > 0) & (useful > 0), 1.0)
