"""How files were measured: the method section of a paper, and the works that it cites. Everything is told of what
happened."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Sequence

import numpy as np
import pandas as pd

from ..frames import is_shared, points
from ..laws import listed, number as column, word
from ..results import Results
from ..sheet import Document
from . import plural


def is_timed(results: Results) -> pd.Series:
    """Rows, repetitions included, whose time was measured: neither predicted nor failed."""
    return np.isfinite(column(results.rows, "time_median")) & (word(results.rows, "backend") != "predicted")


def done_text(results: Results) -> str:
    """What happened to the points of a file, in a word."""
    backends = set(word(results.rows, "backend"))
    return "predicted" if "predicted" in backends else "made up" if "fake" in backends else "measured"


def counted(results: Results) -> int:
    """The number of points whose hardware counters were read."""
    rows = points(results.rows)
    if "counters_status" in rows:
        return int((rows["counters_status"] == "counted").sum())
    return int(rows.filter([name for name, one in results.columns.items() if one.role == "counter"])
               .notna().any(axis=1).sum())


def counters(results: Results) -> list[str]:
    """The hardware counters that were read; none where the driver denied them."""
    names = results.env("counters") or "none"
    return names.split() if names != "none" and counted(results) else []


def drift(results: Results) -> pd.Series:
    """Relative deviations of canaries' repetitions from the first measurement of the same point on the same device."""
    rows, keys = results.rows[is_timed(results)], ["id", "device"]
    again = rows.loc[rows["repeat"] != 0, [*keys, "time_median"]]
    both = again.merge(points(rows)[[*keys, "time_median"]], on=keys, suffixes=("", "_first"))
    return (both["time_median"] / both["time_median_first"] - 1).abs()


def numbers(results: Results) -> dict[str, float]:
    """What the method section tells of a file: points by what was done with them, and medians over timed rows."""
    every, rows = results.rows[is_timed(results)], points(results.rows)
    first = points(every)
    found = {value: (word(first, name) == value).sum() for name, values in (
        ("timer", ("graph", "single", "clock")), ("cache", ("cold", "clean", "hot", "rotate"))) for value in values}
    medians = {"samples": ("sample_count", 1), "processes": ("processes", 1), "within": ("sd_sample", 100),
               "clock_mhz": ("sm_clock", 1e-6)}
    found.update({name: column(every, of).median() * scale for name, (of, scale) in medians.items()})
    # zero at half of the points of quiet devices: a median says nothing
    return {**found, "between": 100 * column(every, "sd_process").quantile(0.9), "counted": counted(results),
            "verified": ((column(rows, "verified") > 0) & (word(rows, "backend") == "cuda")).sum(),
            "fake": (word(first, "backend") == "fake").sum(), "throttled": (word(rows, "throttle") != "").sum(),
            "shared": is_shared(rows).sum(),
            "drift": 100 * drift(results).max()}


STOP = re.compile(r"(?P<least>\d+) to (?P<most>\d+) samples, ci (?P<ci>[\d.e-]+), (?P<time>[\d.e-]+) s")


def once(files: Sequence[Results]) -> list[str]:
    """The paragraphs of a method section that holds for all files. Numbers that differ are told of each: "984 and
    701"."""
    files = [file for file in files if is_timed(file).any()]
    if not files:
        return ["Nothing was measured: times are those of the time model. Their intervals are its error at 95 % of a "
                "family's points, beyond the ends of the profile's values."]
    of = pd.DataFrame([numbers(file) for file in files]).astype(float)
    several = of["between"].notna()

    def each(text: str, name: str, rows: pd.DataFrame = of) -> str:
        """`text` with the number for its @; nothing where a file does not know it, or all say 0."""
        values = rows[name]
        if not np.isfinite(values).all() or not values.any():
            return ""
        shown = [f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in values]
        return text.replace("@", shown[0] if len(set(shown)) == 1 else listed(shown), 1)

    first = each("The output of each kernel, and guard zones around it, was compared with a reference on the CPU "
                 "before it was timed (@ points). ", "verified")
    if of[["graph", "single"]].to_numpy().any():
        first += ("A sample is the time between two CUDA events around a graph of as many launches as make their "
                  "overhead at most 0.5 % of it")
        first += each(" (@ points)", "graph") + each(", or around a single launch (@)", "single")
        first += ("; the overhead, measured with empty kernels in every process, was taken off. Samples were queued "
                  "behind a kernel that blocks the stream, so none waited for the host. ")
        first += each("L2 was cold, full of other data's modified lines, at @ points. ", "cold")
        first += each("It was full of other, unmodified data at @ points. ", "clean")
        first += each("Buffers were those of the launch before at @ points. ", "hot")
        first += each("Launches walked over sets of buffers of more than twice L2 at @ points. ", "rotate")
    first += each("At @ points the reference itself was run on the CPU and timed by the monotonic clock: these are no "
                  "measurements of a GPU. ", "clock")
    first += each("At @ points nothing was measured: the fake back end of the tests made up the times.", "fake")

    samples = each("Points have @ samples", "samples")
    samples += each(" in @ fresh processes, each in another random order", "processes", of[several]) + " (medians). "
    stops = [STOP.search(file.env("timing") or "") for file in files]
    if all(stops) and len({stop.groups() for stop in stops}) == 1:
        stop = stops[0]
        samples += (f"Sampling went on until the half-width of the median's 95 % interval was "
                    f"{100 * float(stop['ci']):.3g} %, the interval no longer shrank, {stop['time']} s were used up, "
                    f"or {stop['most']} samples were taken; at least {stop['least']}. ")
    if several.any():
        samples += each("Times vary by @ % within a process (median standard deviation)", "within", of[several])
        samples += each(" and, at nine of ten points, by at most @ % between processes", "between", of[several])
        samples += (". A time is the geometric mean of the processes' medians. Its 95 % interval is from the "
                    "deviations between processes (Kalibera and Jones, 2013; Hoefler and Belli, 2015), pooled over "
                    "points of like duration by empirical Bayes (Smyth, 2004). Comparisons control the false discovery "
                    "rate at 1 % (Benjamini and Hochberg, 1995). ")
    if not several.all():
        samples += ("Where one process timed a point, its time is the median of the samples and the interval is of "
                    "this process alone: how processes differ was not measured"
                    + (" in every file." if several.any() else "."))

    last = each("Hardware counters of @ points were read by CUPTI's range profiler after timing, in passes of their "
                "own, each launch in the state of L2 that was timed. ", "counted")
    notes = sorted({file.env("counters_note") or "" for file in files} - {""})
    last += f"Counters were not read in every file: {'; '.join(notes)}. " if notes else ""
    clock = each("Clocks and power limits were left alone: the SM clock was @ MHz (median)", "clock_mhz")
    slowed = each(", and the driver gave a reason to lower it at @ points, which are marked. ", "throttled")
    last += clock + (slowed or ", and the driver never gave a reason to lower it. ") if clock else ""
    last += each("Other programs computed on the device beside @ points. ", "shared")
    last += each("Canaries, points that are repeated through the run, deviated from their first measurement by at most "
                 "@ %. ", "drift")
    last += ("The access model computes requests, sectors and wavefronts from the addresses that the lanes of a warp "
             "access; it knows neither counters nor times.")
    return [text.strip() for text in (first, samples, last) if text]


# ---- One file --------------------------------------------------------------------------------------------------------


def print_method(document: Document, results: Results) -> None:
    """The section of one file: machine, devices, how it was measured, the command."""
    def known(name: str, text: str = "{}") -> str:
        value = results.env(name)
        return text.format(value) if value else ""

    document.heading(2, results.path.name)
    status = points(results.rows)["status"]
    ok, unsupported = int((status == "ok").sum()), int((status == "unsupported").sum())
    done = done_text(results)
    by = ", ".join(filter(None, [
        f"warpsweep {known('release') or 'unknown'} (commit {known('commit') or 'unknown'})",
        known("backend", "{} back end"),
        known("ranks", "MPI ranks: {}"), known("nodes", "nodes: {}"), known("mpi"), known("kernel")]))
    title = f" ({results.title})" if results.title else ""
    document.paragraph(f"{results.path.name}{title} holds {plural(len(status), 'point')}: {ok} {done}, {unsupported} unsupported, and "
                       f"{len(status) - ok - unsupported} that failed. They were {done} by "
                       f"{by}{known('start', ', starting at {}')}.")
    document.items([_device(device) for _, device in results.devices.iterrows()])
    for text in once([results]):
        document.paragraph(text)
    command, seed = results.env("command"), results.env("seed")
    if command and seed:
        document.paragraph(f"The command was: {command}. The job is stored in the file; the seed is {seed}.")


def _device(device: Any) -> str:
    """Its size, and what the run measured of it: quantities that are unknown are left out."""
    size = [("multiprocessors", 1, "{:.0f} multiprocessors"), ("l2_bytes", 2**20, "{:.4g} MiB of L2"),
            ("memory_bytes", 2**30, "{:.4g} GiB of memory")]
    rates = [("peak_copy", 1e9, "{:.4g} GB/s copying"), ("peak_read", 1e9, "{:.4g} GB/s reading"),
             ("peak_write", 1e9, "{:.4g} GB/s writing DRAM"),
             ("launch_floor", 1e-6, "a launch of an empty kernel takes {:.3g} us"),
             ("graph_floor", 1e-6, "within a CUDA graph {:.3g} us")]
    size_text, rate_text = (", ".join(text.format(device[name] / unit) for name, unit, text in some
                                      if device.get(name, np.nan) > 0) for some in (size, rates))
    board = f" (board {device['board_part']})" if device.get("board_part") else ""
    versions = ", ".join(filter(None, [f"driver {device.get('driver') or 'unknown'}", device.get("toolkit", "")]))
    where = device.get("host") or "an unknown host"
    return (f"{device['name']}{board} on {where}: {', '.join(filter(None, [size_text, versions]))}."
            + (f" Measured in the same run: {rate_text}." if rate_text and device.get("backend") != "predicted"
               else ""))


def bibtex() -> str:
    """warpsweep itself and the works that the method and the paper cite, as BibTeX."""
    here = Path(__file__).resolve()
    try:
        release = version("warpsweep")
    except PackageNotFoundError:  # run from the source tree, or from a prefix
        release = (here.parents[3] / "VERSION").read_text(encoding="utf-8").strip()
    return ("@misc{warpsweep,\n  key = {warpsweep},\n  title = {warpsweep},\n  note = {Version %s},\n}\n" % release
            + here.with_name("references.bib").read_text(encoding="utf-8"))
