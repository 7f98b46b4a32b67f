"""Pairs of a paired run: two versions of a point whose samples were taken alternately by the same processes."""
from __future__ import annotations

import numpy as np
import pandas as pd

from .comparison import Comparison, entries
from .errors import UsageError
from .estimates import Estimator, estimates, none, pooling, texts, units
from .frames import is_text
from .options import unknown
from .pairing import point_keys
from .results import Results
from .statistics import critical, paired


def paired_axis(results: Results) -> list[str] | None:
    """The axis in which the pairs of a paired run differ, and its two values, the baseline first; None: the file has no
    pairs."""
    words = (results.env("pairs") or "").split()
    return words[:3] if len(words) >= 3 and words[0] in results.rows else None


def of_pairs(results: Results, rows: np.ndarray, baseline: str | None) -> Comparison:
    """Two versions whose points were timed together. `baseline`: the version to compare with; None: the first.

    The ratio of each process counts as a time: the estimate of a, times the ratio. So the pooling knows how long the
    point takes, and its estimate less that of a is the logarithm of the ratio. Of several processes the scatter of
    their ratios is the whole variance: what the samples of each say overstates that of so few quotients.
    """
    axis, *versions = paired_axis(results)
    if baseline is not None and baseline not in versions:
        raise unknown("version", baseline, versions)
    swapped = baseline == versions[1]
    versions = versions[::-1] if swapped else versions
    chosen = results.rows.iloc[rows]
    version = chosen[axis] if is_text(chosen[axis]) else chosen[axis].map(lambda v: "" if v != v else str(int(v)))
    key = point_keys(chosen, [name for name in results.columns.axes() if name != axis])
    sides = [pd.Series(chosen.index, index=key)[(version == name).to_numpy()] for name in versions]
    both = pd.concat([sides[0][~sides[0].index.duplicated(keep="last")].rename("a"),
                      sides[1][~sides[1].index.duplicated()].rename("b")], axis=1, join="inner")
    if not len(both):
        raise UsageError("no pair of two versions among these points")
    pairs = both.assign(section=0, kernel=chosen["kernel"].loc[both["a"]].to_numpy()).reset_index(drop=True)
    file = Estimator(results)
    a = entries(file, pairs["a"].to_numpy()).reset_index(drop=True)
    b = entries(file, pairs["b"].to_numpy()).reset_index(drop=True)
    ids = results.rows["id"].to_numpy()
    together = ((a["basis"] != "none") & (b["basis"] != "none")).to_numpy()
    together = together & (texts(results.rows, "paired_with").to_numpy()[pairs["a"]] == ids[pairs["b"]])
    processes = pd.DataFrame([one for pair in np.flatnonzero(together)
                              for one in _processes(file, pair, *pairs.loc[pair, ["a", "b"]], swapped)],
                             columns=["pair", "device", "process", "log_ratio", "variance", "dof", "order",
                                      "quotients"])
    alone = estimates(file.units[file.units["row"].isin(pairs["a"])],
                      None)["log_seconds"].reindex(pairs["a"]).to_numpy()
    several = processes.groupby("pair")["pair"].transform("size") > 1
    cells = processes.assign(row=processes["pair"], kind=a["kind"].to_numpy()[processes["pair"]], spread=np.nan,
                             log_median=alone[processes["pair"]] + processes["log_ratio"],
                             variance=processes["variance"].where(~several, 0), samples=processes["quotients"])
    its = units(cells)
    found = estimates(its, pooling(its))
    empty = ~pairs.index.isin(found.index)
    found = pd.concat([found, none(pairs.index[empty])]).reindex(pairs.index)
    second = found.assign(**a[["whole", "predicted", "unit"]])
    first = second.assign(log_seconds=np.where(empty, np.nan, alone), seconds=np.where(empty, np.nan, np.exp(alone)),
                          **{name: np.where(empty, np.nan, 0.0) for name in ("common", "own", "prior", "between")},
                          medians=[np.zeros(len(medians)) for medians in second["medians"]])
    used = set(file.cells["device"][file.cells["row"].isin(both.to_numpy().ravel())])
    comparison = Comparison((results, results), [tuple(versions)], pairs, first, second, by=axis, paired=True,
                            devices=(used, used))
    _explain_pairs(comparison, processes)
    return comparison


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
        say(f"{apart} pair{'' if apart == 1 else 's'} without a verdict: the versions were not timed together; see the "
            "column message.")
    if bad.any():
        first, names = bad.idxmax(), comparison.sections[0]
        say(f"{bad.sum()} pair{'' if bad.sum() == 1 else 's'} without a verdict: one version has no time ({names[0]}: "
            f"{status[0][first]}, {names[1]}: {status[1][first]}).")
