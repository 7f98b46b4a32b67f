"""How a file was measured: the method section of a paper, and the works that it cites."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable, Sequence

import numpy as np
import pandas as pd

from ..laws import listed, number as column, word
from ..results import Results
from ..sheet import Document
from ..frames import points
from . import plural

STATES = {
    "cold": "with none of the point's data in L2, which is full of other data's modified lines",
    "clean": "with none of the point's data in L2, which is full of unmodified lines",
    "hot": "on buffers that the launch before has used",
    "rotate": "walking over sets of buffers of more than twice L2",
}
CITED = ("(Kalibera and Jones 2013; Hoefler and Belli 2015), whose variance is pooled over points of like duration by empirical "
         "Bayes (Smyth 2004). Comparisons control the false discovery rate at 1 % (Benjamini and Hochberg 1995).")


# ---- Numbers of a file ----


def quantile(results: Results, name: str, q: float) -> float:
    """A quantile of a column over all measured rows, repetitions included; NaN if it has no value."""
    values = column(results.rows, name)[np.isfinite(column(results.rows, "time_median"))]
    values = values[np.isfinite(values)]
    return float(np.quantile(values, q)) if len(values) else np.nan


def timed(results: Results, name: str, value: str) -> int:
    """The number of timed points with this word in a column."""
    rows = points(results.rows)
    return int((np.isfinite(column(rows, "time_median")) & (word(rows, name) == value)).sum())


def throttled(results: Results) -> int:
    """The number of points at which the driver gave a reason to lower clocks."""
    return int((word(points(results.rows), "throttle") != "").sum())


def counters(results: Results) -> list[str]:
    """The hardware counters that the run asked for."""
    names = results.env("counters")
    return [] if not names or names == "none" else names.split()


def timing(results: Results) -> dict[str, float | bool]:
    """The limits of sampling: target_ci (a share), max_time (s), min_samples, max_samples, replicates (processes), all_devices.

    /environment has what a run used; the job's `timing` has the rest, and all of it in files up to 0.2."""
    block = re.search(r"^timing:[ ]*(\{.*?\}|(?:[^\n]*\n[ ]+[^\n]*)+)", results.job, re.M | re.S)
    own = dict(re.findall(r"(\w+):[ ]*([^,}\n#]+?)[ ]*(?=[,}\n#]|$)", block.group(1))) if block else {}
    seconds = re.fullmatch(r"([\d.]+)(us|ms|s|min|)", own.get("max_time", "0.25s"))
    unit = {"us": 1e-6, "ms": 1e-3, "min": 60.0}
    share = own.get("target_ci", "0.5%")
    found = {"target_ci": float(share.rstrip("%")) / (100 if share.endswith("%") else 1),
             "max_time": float(seconds.group(1)) * unit.get(seconds.group(2), 1.0) if seconds else np.nan,
             "min_samples": int(own.get("min_samples", 10)), "max_samples": int(own.get("max_samples", 1000)),
             "replicates": int(own.get("replicates", 3)), "all_devices": own.get("devices") == "all"}
    used = re.search(r"(\d+) to (\d+) samples, ci ([\d.e-]+), ([\d.e-]+) s", results.env("timing") or "")
    if used:
        found.update(min_samples=int(used[1]), max_samples=int(used[2]), target_ci=float(used[3]), max_time=float(used[4]))
    return found


# ---- Paragraphs ----


def _machine(document: Document, results: Results) -> None:
    def env(name: str) -> str:
        return results.env(name) or "unknown"
    status = points(results.rows)["status"]
    ok, unsupported = int((status == "ok").sum()), int((status == "unsupported").sum())
    document.paragraph(
        f"{results.path.name} holds {len(status)} points: {ok} measured, {unsupported} unsupported, and "
        f"{len(status) - ok - unsupported} that failed. They were measured by warpsweep {env('release')} (commit {env('commit')}) "
        f"with the {env('backend')} back end (MPI ranks: {env('ranks')}; nodes: {env('nodes')}; {env('mpi')}; {env('kernel')}), "
        f"starting at {env('start')}.")
    document.items([_device(device) for _, device in results.devices.iterrows()])


def _device(device: Any) -> str:
    def known(name: str) -> str:
        return device.get(name) or "unknown"
    return (f"{device['name']} on {known('host')}: {device['multiprocessors']:.0f} multiprocessors, "
            f"{device['l2_bytes'] / 2**20:.4g} MiB of L2, {device['memory_bytes'] / 2**30:.4g} GiB of memory, driver "
            f"{known('driver')}, {known('toolkit')}. Measured in the same run: {device['peak_copy'] / 1e9:.4g} GB/s copying, "
            f"{device['peak_read'] / 1e9:.4g} GB/s reading, {device['peak_write'] / 1e9:.4g} GB/s writing DRAM; a launch of an "
            f"empty kernel takes {device['launch_floor'] * 1e6:.3g} us, within a CUDA graph {device['graph_floor'] * 1e6:.3g} us.")


def _timing(document: Document, results: Results) -> None:
    graphs, single, clock = (timed(results, "timer", timer) for timer in ("graph", "single", "clock"))
    document.paragraph("Each kernel's output, and guard zones around it, was compared with a reference on the CPU before anything "
                       "was timed.")
    if graphs + single:
        document.paragraph(
            "A sample is the time between two CUDA events around a CUDA graph of as many launches as make their overhead at most "
            f"0.5 % of it ({graphs} points), or around a single launch ({single} points); the overhead, measured with empty kernels "
            "in every process, was taken off. Samples were queued behind a kernel that blocks the stream, so that none waited for "
            "the host.")
    if clock:
        document.paragraph(f"The reference itself was run on the CPU and timed by the monotonic clock ({clock} points): these are "
                           "no measurements of a GPU.")
    states = [(timed(results, "cache", state), state, meaning) for state, meaning in STATES.items()]
    document.items([f"{count} points were timed {state}: {meaning}." for count, state, meaning in states if count])


def _sampling(document: Document, results: Results) -> None:
    limits = timing(results)
    document.paragraph(
        f"Sampling of a point went on until the half-width of the median's 95 % interval was {100 * limits['target_ci']:.3g} %, the "
        f"interval no longer shrank, {limits['max_time']:.3g} s were used up, or {limits['max_samples']} samples were taken; at "
        f"least {limits['min_samples']}. Every point was timed by {limits['replicates']} fresh processes"
        f"{' on every device' if limits['all_devices'] else ''}, each in another random order.")
    processes, between = quantile(results, "processes", 0.5), quantile(results, "sd_process", 0.9)
    document.paragraph(
        f"Points have {quantile(results, 'sample_count', 0.5):.0f} samples in {processes:.0f} process{'' if processes == 1 else 'es'} "
        f"(medians over points; 5th to 95th percentile of the samples: {quantile(results, 'sample_count', 0.05):.0f} to "
        f"{quantile(results, 'sample_count', 0.95):.0f}).")
    if not np.isfinite(between):
        document.paragraph("A time is the median of one process's samples. Its 95 % interval is of this process: how processes "
                           "differ is not measured.")
        return
    document.paragraph(
        f"Of points with several processes, times vary by {100 * quantile(results, 'sd_sample', 0.5):.2g} % (median standard "
        f"deviation) within a process and, at nine of ten points, by at most {100 * between:.2g} % between processes.")
    document.paragraph("A time is the geometric mean of the processes' medians. Its 95 % interval is from the deviations between "
                       "processes " + CITED)


def _clocks(document: Document, results: Results) -> None:
    clock = [quantile(results, "sm_clock", q) / 1e6 for q in (0.5, 0.05, 0.95)]
    power, temperature = quantile(results, "power", 0.5), quantile(results, "temperature", 0.5)
    if not np.isfinite(clock[0]):
        return
    document.paragraph(
        f"Clocks and power limits were left alone. The SM clock over the samples was {clock[0]:.0f} MHz (median over points; 5th to "
        f"95th percentile {clock[1]:.0f} to {clock[2]:.0f} MHz). The driver reported a reason to lower clocks at "
        f"{throttled(results)} of {int((points(results.rows)['status'] == 'ok').sum())} points; they are kept and marked.")
    if np.isfinite(power) and np.isfinite(temperature):
        document.paragraph(f"The medians over points are {power:.0f} W and {temperature:.0f} degC.")


def drift(results: Results) -> pd.Series:
    """Relative deviations of canaries' repetitions from the first measurement of the same point on the same device."""
    rows = results.rows
    again = rows[(rows["repeat"] != 0) & np.isfinite(column(rows, "time_median"))]
    keys = ["id", "device"]
    both = again[[*keys, "time_median"]].merge(points(rows)[[*keys, "time_median"]], on=keys, suffixes=("", "_first"))
    return (both["time_median"] / both["time_median_first"] - 1).abs()


def _drift(document: Document, results: Results) -> None:
    off = drift(results)
    if len(off):
        document.paragraph("Canaries, points that are repeated through the run, deviated from their first measurement by at most "
                           f"{100 * max(0.0, off.max()):.2g} % ({len(off)} repetitions).")


def print_method(document: Document, results: Results) -> None:
    """The section of one file: machine, timing, sampling, clocks, drift, counters, command."""
    document.heading(2, results.path.name)
    for tell in (_machine, _timing, _sampling, _clocks, _drift):
        tell(document, results)
    count = len(counters(results))
    if count:
        document.paragraph(f"{plural(count, 'hardware counter')} {'was' if count == 1 else 'were'} read with CUPTI's range profiler, "
                           "after timing and in passes of their own, each launch in the state of L2 that was timed.")
    command, seed = results.env("command"), results.env("seed")
    if command and seed:
        document.paragraph(f"The command was: {command}. The job is stored in the file; the seed is {seed}.")


# ---- One section for several files ----


def once(files: Sequence[Results]) -> list[str]:
    """The paragraphs of a method section that holds for all files; numbers that differ are told of each ("984 and 701")."""
    def each(text: str, value: Callable[[Results], float]) -> str:
        """`text` with the number for its @; nothing where a file does not know it."""
        values = [value(file) for file in files]
        if not np.isfinite(values).all():
            return ""
        shown = [f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in values]
        return text.replace("@", shown[0] if len(set(shown)) == 1 else listed(shown), 1)

    def median(name: str, scale: float = 1.0) -> Callable[[Results], float]:
        return lambda file: quantile(file, name, 0.5) * scale

    def between(file: Results) -> float:  # estimated as zero at half of the points of quiet devices: a median says nothing
        return 100 * quantile(file, "sd_process", 0.9)

    text = ("The output of each kernel, and guard zones around it, was compared with a reference on the CPU before it was timed. ")
    if not timed(files[0], "timer", "graph") and not timed(files[0], "timer", "single"):
        if timed(files[0], "timer", "clock"):
            text += ("The reference itself was run on the CPU and timed by the monotonic clock: these are no measurements of a "
                     "GPU.")
        return [text]
    text += ("A sample is the time between two CUDA events around a graph of as many launches as make their overhead at most 0.5 % "
             "of it")
    text += each(" (@ points)", lambda file: timed(file, "timer", "graph"))
    text += each(", or around a single launch (@)", lambda file: timed(file, "timer", "single"))
    text += ("; the overhead, measured with empty kernels in every process, was taken off. Samples were queued behind a kernel that "
             "blocks the stream, so none waited for the host. ")
    text += each("L2 was cold, full of other data's modified lines, at @ points", lambda file: timed(file, "cache", "cold"))
    text += each(", and hot at @.", lambda file: timed(file, "cache", "hot"))

    processes = np.isfinite([between(file) for file in files]).all()
    samples = each("Points have @ samples", median("sample_count"))
    samples += each(" in @ fresh processes (medians), each in another random order. ", median("processes"))
    if processes:
        samples += each("Times vary by @ % within a process (median standard deviation)", median("sd_sample", 100))
        samples += each(" and, at nine of ten points, by at most @ % between processes. ", between)
        samples += ("A time is the geometric mean of the processes' medians. Its 95 % interval is from the deviations between "
                    "processes (Kalibera and Jones, 2013; Hoefler and Belli, 2015), pooled over points of like duration by "
                    "empirical Bayes (Smyth, 2004). Comparisons control the false discovery rate at 1 % (Benjamini and Hochberg, "
                    "1995).")
    else:
        samples += ("How processes differ is not measured in every file: intervals of points of one process are of that process.")

    last = ""
    if all(counters(file) for file in files):
        last = ("Hardware counters were read by CUPTI's range profiler after timing, in passes of their own, each launch in the "
                "state of L2 that was timed. ")
    last += each("Clocks and power limits were left alone: the SM clock was @ MHz (median)", median("sm_clock", 1e-6))
    if any(throttled(file) for file in files):
        last += each(", and the driver gave a reason to lower it at @ points, which are marked. ", throttled)
    else:
        last += ", and the driver never gave a reason to lower it. "
    last += ("The access model computes requests, sectors and wavefronts from the addresses that the lanes of a warp access; it "
             "knows neither counters nor times.")
    return [text, samples, last]


def bibtex() -> str:
    """The works that the method and the paper cite, and warpsweep itself, as BibTeX."""
    return Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
