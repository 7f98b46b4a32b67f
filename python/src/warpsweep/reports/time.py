"""How the time of a run divides into phases, ranks and families, from its timeline."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import declared
from ..results import Results
from ..sheet import Document
from ..units import plural
from .machine import durations

# Phases by group: word and meaning, in the order of a run.
PHASES = {
    "start, compile": (
        ("program start", "from the start of the process to MPI's: libraries are loaded"),
        ("MPI start", "MPI_Init, and finding the rank's place"),
        ("worker start", "a worker is started, up to its opening the device"),
        ("context", "the worker opens its device, as far as its rank waits for that"),
        ("peaks", "the device's peaks and the timer's floors are measured"),
        ("compile", "the rank waits for a kernel, or a point compiles its own"),
    ),
    "prepare": (
        ("load", "code is loaded and looked up, arguments are made"),
        ("open call", "a call prepares itself: libraries, plans, autotuning"),
        ("allocate", "memory for the point's arrays"),
        ("fill", "inputs are written"),
        ("arrange", "what a sample is: its launches, graphs, sets of buffers"),
        ("finish", "memory is given back, predictions are made"),
    ),
    "verify": (
        ("verified launch", "launches whose output is compared, and the referee's"),
        ("copy back", "outputs, and inputs for the reference, to the host"),
        ("reference", "the expected output is computed"),
        ("compare", "output and expected output are compared"),
    ),
    "warm-up": (
        ("warm-up", "launches until the clock has risen"),
        ("rest", "the device cools down, for samples at its boost clock"),
    ),
    "sampling": (("sampling", "samples are taken"),),
    "count": (
        ("energy", "the loop whose energy is measured, or the idle device"),
        ("counting: session", "the profiler is opened and closed, its points placed"),
        ("counting: set", "a round's counters are configured, a pass begun"),
        ("counting: launch", "the launches of a pass, and emptying L2 for them"),
        ("counting: decode", "a pass is ended, and its counters worked out"),
    ),
    "other": (
        ("messages", "between a rank and its worker, where neither is in another phase"),
        ("lost", "a worker that ended or hung without telling what it had done"),
        ("end", "from the run's end to the file's being written: workers leave"),
    ),
    "wait": (
        ("wait: ranks", "for other ranks to be ready, before the first point"),
        ("wait: work", "for points, or at the end for the last rank"),
        ("wait: exclusive", "for points that have the node to themselves to end"),
        ("wait: writer", "for rank 0, which writes the file or its journal"),
    ),
    "file": (
        ("open", "coordinator: the job is read, the file opened, its points chosen"),
        ("sync", "coordinator: the journal is written to disk"),
        ("checkpoint", "coordinator: a checkpoint is begun or taken over"),
        ("close", "coordinator: the final file is written"),
    ),
}
GROUP = {phase: group for group, phases in PHASES.items() for phase, _ in phases}
MEANING = dict(pair for phases in PHASES.values() for pair in phases)
# What a GPU is allocated for; in all other phases it waits for the host or proves that a result is right.
AT_WORK = ["warm-up", "sampling", "energy", "counting: launch"]
LANE = ["run", "rank", "lane"]
OVERLAP_MAX = 1e-6  # s: rounding errors of two phases that touch
SECONDS_MAX = declared.number("SECONDS_MAX")


def timeline_of(results: Results) -> pd.DataFrame:
    """/timeline with `seconds`, `group` of the phase and `kernel` of the point; empty in files of earlier releases."""
    timeline = results.timeline
    if not len(timeline):
        return timeline
    kernels = results.rows.drop_duplicates("id").set_index("id")["kernel"]
    alone = timeline["point"].str.lower().map(kernels).fillna("(no row)")
    return timeline.assign(
        seconds=timeline["end"] - timeline["start"],
        group=timeline["phase"].map(GROUP).fillna("other"),
        kernel=alone.where(timeline["point"] != "", "(several, counted together)"),
    )


def damage(results: Results) -> str:
    """Which row of the timeline is damaged; "" if none is. `status --verify` says how."""
    of, last = results.timeline, results.timeline.groupby(LANE, sort=False)["end"].shift()
    good = (
        (of["start"].abs() <= SECONDS_MAX)
        & of["end"].between(of["start"], SECONDS_MAX)
        & ~(of["start"] < last - OVERLAP_MAX)
        & ~(of["device"] >= len(results.devices))
    )
    return (
        ""
        if good.all()
        else f"row {int(np.argmin(good))} of /timeline is not a span of time after the one before"
    )


def walls(of: pd.DataFrame) -> pd.DataFrame:
    """Each lane's `wall` seconds from its first phase to its last, and the last `device` that it had."""
    return (
        of.groupby(LANE)
        .agg(start=("start", "min"), end=("end", "max"), device=("device", "max"))
        .eval("wall = end - start")
    )


def phases(of: pd.DataFrame) -> pd.DataFrame:
    """Seconds of each phase, and how often it was entered, the longest first."""
    sums = of.groupby("phase").agg(seconds=("seconds", "sum"), times=("parts", "sum"))
    order = {phase: place for place, phase in enumerate(MEANING)}
    return sums.sort_index(key=lambda names: names.map(order)).sort_values(
        "seconds", ascending=False, kind="stable"
    )


def _percent(part: float, of: float) -> str:
    return f"{100 * part / of if of > 0 else 0:.1f}"


def _print_phases(document: Document, of: pd.DataFrame, rest: str, what: str) -> None:
    sums, wall = phases(of), walls(of)["wall"].sum()
    rows = [
        (phase, seconds, times, MEANING.get(phase, ""))
        for phase, seconds, times in sums.itertuples()
    ]
    rows += [(rest, max(0.0, wall - sums["seconds"].sum()), 0, what), ("all", wall, 0, "")]
    document.frame(
        [
            {
                "phase": phase,
                ">s": f"{seconds:.3f}",
                ">%": _percent(seconds, wall),
                ">times": f"{times:.0f}",
                "is": meaning,
            }
            for phase, seconds, times, meaning in rows
        ]
    )


def by_group(of: pd.DataFrame, index: str | list[str]) -> pd.DataFrame:
    """Seconds of each lane or family by group of phases."""
    sums = of.pivot_table(
        index=index, columns="group", values="seconds", aggfunc="sum", fill_value=0.0
    )
    return sums.reindex(columns=list(PHASES), fill_value=0.0)


def at_work(of: pd.DataFrame, by: str | list[str]) -> pd.Series:
    """Seconds of each lane or family in which its GPU is at work."""
    return of[of["phase"].isin(AT_WORK)].groupby(by)["seconds"].sum()


def families(of: pd.DataFrame) -> pd.DataFrame:
    """Seconds of each family by group of phases, `all`, `work` and `times` sampled; the longest first."""
    own = of[(of["point"] != "") | (of["group"] == "count")]
    sums = by_group(own, "kernel")
    times = (
        own[own["phase"] == "sampling"]
        .groupby("kernel")["parts"]
        .sum()
        .reindex(sums.index, fill_value=0)
    )
    work = at_work(own, "kernel").reindex(sums.index, fill_value=0.0)
    return sums.assign(all=sums.sum(axis=1), times=times, work=work).sort_values(
        "all", ascending=False, kind="stable"
    )


def print_time(document: Document, results: Results) -> None:
    """The report of one file."""
    document.heading(2, str(results.path))
    if len(results.timeline) and (why := damage(results)):
        document.paragraph(f"The timeline of {results.name} is left out: {why}.")
        return
    every = timeline_of(results)
    document.paragraph(durations(results))
    if not len(every):
        document.paragraph(
            "This file has no timeline: nothing ran, or an earlier release wrote it."
        )
        return
    ranks, coordinator = (every[every["lane"] == lane] for lane in ("rank", "coordinator"))
    seconds, wall = phases(ranks)["seconds"], walls(ranks)["wall"]
    work, busy = (
        at_work(ranks, LANE),
        f"{'CPU' if results.env('backend') == 'host' else 'GPU'} at work",
    )
    rest = [
        f"{phase} {_percent(of, wall.sum())} %"
        for phase, of in seconds.drop(AT_WORK, errors="ignore").items()
    ]
    document.paragraph(
        f"{plural(len(wall), 'lane')} of ranks, {wall.sum():.3f} s together. {busy}: "
        f"{_percent(work.sum(), wall.sum())} % (samples, warm-up, energy, counted launches). Most of the rest: "
        f"{', '.join(rest[:3])}. Phases cover {100 * seconds.sum() / wall.sum() if wall.sum() > 0 else 0:.2f} % of the "
        "time."
    )
    document.heading(3, "By phase")
    _print_phases(document, ranks, "unaccounted", "in no phase")
    document.heading(3, "By rank, s")
    document.frame(
        [
            {
                ">run": f"{run:.0f}",
                ">rank": f"{rank:.0f}",
                "device": results.devices["name"][int(at["device"])] if at["device"] >= 0 else "-",
                ">wall, s": f"{at['wall']:.3f}",
                **{f">{group}": f"{at[group]:.3f}" for group in PHASES if group != "file"},
                f">{busy}, %": _percent(at["work"], at["wall"]),
            }
            for (run, rank, _), at in walls(ranks)
            .join(by_group(ranks, LANE).assign(work=work))
            .fillna({"work": 0.0})
            .iterrows()
        ]
    )
    document.heading(3, "By family, s")
    document.frame(
        [
            {
                "family": kernel,
                ">times sampled": f"{row['times']:.0f}",
                ">s": f"{row['all']:.3f}",
                **{
                    f">{group}": f"{row[group]:.3f}"
                    for group in ("prepare", "verify", "warm-up", "sampling", "count")
                },
                f">{busy}, %": _percent(row["work"], row["all"]),
            }
            for kernel, row in families(every).iterrows()
        ]
    )
    if len(coordinator):
        document.heading(3, "Coordinator, beside rank 0")
        _print_phases(document, coordinator, "idle", "it waits for ranks, or answers them")
