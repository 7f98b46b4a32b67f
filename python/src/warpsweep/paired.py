"""Pairs of a paired run: two versions of a point whose samples were taken alternately by the same processes."""
from __future__ import annotations

import numpy as np
import pandas as pd

from .comparison import Comparison, by_columns
from .estimates import Estimator, estimates, none, pooling, units
from .options import unknown
from .pivots import person
from .reports import plural
from .results import Results
from .statistics import critical, paired


def paired_axis(results: Results) -> tuple[str, list[str]] | None:
    """The axis in which pairs of a paired run differ, and its two values in words, the baseline first; None: no pairs."""
    axis, *versions = (results.env("pairs") or "").split()[:3] or [""]
    if len(versions) < 2 or axis not in results.rows:
        return None
    column = results.columns[axis]
    return axis, [person(word if column.type == "text" else int(word), column) for word in versions]


def of_pairs(results: Results, rows: np.ndarray, baseline: str | None) -> Comparison:
    """Two versions whose points were timed together. `baseline`: the version to compare with; None: the first.

    The ratio of each process counts as a time: the estimate of a, times the ratio. So the pooling knows how long the
    point takes, and its estimate less that of a is the logarithm of the ratio. Of several processes the scatter of
    their ratios is the whole variance: what the samples of each say overstates that of so few quotients.
    """
    axis, versions = paired_axis(results)
    if baseline is not None and baseline not in versions:
        raise unknown("version", baseline, versions)
    value = results.rows.iloc[rows][axis].map(lambda one: person(one, results.columns[axis]))
    c = by_columns(results, rows[value.isin(versions)], axis, baseline or versions[0])
    pairs, a, file = c.pairs, c.a, Estimator(results)
    together = ((a["basis"] != "none") & (c.b["basis"] != "none")
                & (c.texts(0, "paired_with") == results.rows["id"].reindex(pairs["b"]).set_axis(pairs.index)))
    processes = pd.DataFrame([one for pair in pairs.index[together]
                              for one in _processes(file, pair, *pairs.loc[pair, ["a", "b"]], baseline == versions[1])],
                             columns=["pair", "device", "process", "log_ratio", "variance", "dof", "order",
                                      "quotients"])
    alone = estimates(file.units[file.units["row"].isin(pairs["a"])],
                      None)["log_seconds"].reindex(pairs["a"]).to_numpy()
    several = processes.groupby("pair")["pair"].transform("size") > 1
    at = processes["pair"].to_numpy(int)
    its = units(processes.assign(row=at, kind=a["kind"].to_numpy()[at], spread=np.nan, samples=processes["quotients"],
                                 log_median=alone[at] + processes["log_ratio"],
                                 variance=processes["variance"].where(~several, 0)))
    found = estimates(its, pooling(its)) if len(its) else none([])
    empty = ~pairs.index.isin(found.index)
    b = pd.concat([found, none(pairs.index[empty])]).reindex(pairs.index).assign(**a[["whole", "predicted", "unit"]])
    log_a = np.where(empty, np.nan, alone)
    c.a = b.assign(log_seconds=log_a, seconds=np.exp(log_a), medians=[np.zeros(len(medians)) for medians in b["medians"]],
                   **dict.fromkeys(["common", "own", "prior", "between"], np.where(empty, np.nan, 0.0)))
    c.b, c.paired = b, True
    _explain_pairs(c, processes)
    return c


def _processes(file: Estimator, pair: int, row_a: int, row_b: int, swapped: bool) -> list[dict[str, float]]:
    """What each process tells that took as many samples of either version. Processes of a device take their turns by
    their numbers; in every other one B's code is loaded, and timed, first."""
    sides = []
    for begin, count in file.results.rows.loc[[row_a, row_b], ["sample_offset", "sample_count"]].to_numpy(int):
        taken = file.results.samples.iloc[begin:begin + count].fillna({"device": -1, "process": -1})
        sides.append({key: of.to_numpy() for key, of in taken.groupby(["device", "process"])["seconds"]})
    found = []
    for (device, process), seconds in sides[0].items():
        turn = sum(d == device and p < process for d, p in sides[0]) + swapped
        other = sides[1].get((device, process), ())
        if len(other) == len(seconds) >= 2:
            found.append({"pair": pair, "device": device, "process": process, **paired(seconds, other, bool(turn % 2))})
    return found


def _explain_pairs(comparison: Comparison, processes: pd.DataFrame) -> None:
    """The effect of order, and the pairs without a verdict."""
    say = comparison.assumed.append
    say("Both versions were timed in the same processes, alternately. Intervals are of the differences between "
        "processes.")
    alone = int((comparison.b["basis"] == "within").sum())
    if alone:
        say(f"One process measured {alone} of {len(comparison.pairs)} pairs: how processes differ is unknown and assumed "
            "to be zero.")
    if len(processes):
        order = processes.groupby(["device", "process"])["order"].mean()
        half = float(critical(0.05, len(order) - 1)) * order.sem()
        interval = f" (95 % interval +-{100 * half:.3f} %)" if half > 0 else ""
        say("Effect of coming second in a couple of samples, which cancels in every quadruple A B B A: "
            f"{100 * np.expm1(order.mean()):+.3f} %{interval}.")
    status = [comparison.texts(side, "status") for side in (0, 1)]
    without = comparison.b["basis"] == "none"
    good = (status[0] == "ok") & (status[1] == "ok")
    apart, bad = int((without & good).sum()), without & ~good
    if apart:
        say(f"{plural(apart, 'pair')} without a verdict: the versions were not timed together; see the column message.")
    if bad.any():
        first, names = bad.idxmax(), comparison.sections[0]
        say(f"{plural(bad.sum(), 'pair')} without a verdict: one version has no time ({names[0]}: {status[0][first]}, "
            f"{names[1]}: {status[1][first]}).")
