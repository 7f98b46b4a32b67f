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
                             columns=["pair", "device", "process", "turn", "log_ratio", "variance", "dof", "order",
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
    extra = a[["whole", "predicted", "unit"]]
    second = pd.concat([found, extra], axis=1)
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
    found, runs = [], []
    for row in (row_a, row_b):
        begin, count = file.results.rows.loc[row, ["sample_offset", "sample_count"]].astype(int)
        taken = file.results.samples.iloc[begin:begin + count]
        change = (taken[["device", "process"]].fillna(-1).diff() != 0).any(axis=1).cumsum()
        runs.append([(g["device"].iloc[0], g["process"].iloc[0], g["seconds"].to_numpy()) for _,
                     g in taken.groupby(change)])
    partner = {(device, process): seconds for device, process, seconds in reversed(runs[1])}
    for device, process, seconds in runs[0]:
        turn = sum(d == device and p < process for d, p, _ in runs[0]) + swapped
        other = partner.get((device, process))
        if other is not None and len(other) == len(seconds) >= 2:
            found.append({"pair": pair, "device": device, "process": process, "turn": turn,
                          **paired(seconds, other, bool(turn % 2))})
    return found


def _effect(what: str, mean: float, variance: float, dof: float) -> str:
    interval = ""
    if dof >= 1 and variance > 0:
        interval = f" (95 % interval +-{100 * float(critical(0.05, dof)) * np.sqrt(variance):.3f} %)"
    return f"{what}: {100 * np.expm1(mean):+.3f} %{interval}."


def _explain_pairs(comparison: Comparison, processes: pd.DataFrame) -> None:
    """Effects of order, and the pairs without a verdict."""
    say = comparison.assumed.append
    say("Both versions were timed in the same processes, alternately. Intervals are of the differences between "
        "processes.")
    alone = int((comparison.b["basis"] == "within").sum())
    if alone:
        say(f"One process measured {alone} of {len(comparison.pairs)} pairs: how processes differ is unknown and assumed "
            "to be zero.")
    if len(processes):
        keys = ["device", "process"]
        order = processes.groupby(keys)["order"].mean()
        say(_effect("Effect of coming second in a couple of samples, which cancels in every quadruple A B B A",
                    order.mean(), order.var() / len(order) if len(order) > 1 else 0, len(order) - 1))
        # Half of the difference is the effect of code being loaded second on its own time.
        about = processes["log_ratio"] - processes.groupby("pair")["log_ratio"].transform("mean")
        effect = about.groupby([processes[k] for k in keys]).mean()
        odd = processes.groupby(keys)["turn"].first() % 2 == 1
        sides = [effect[~odd], effect[odd]]
        if all(map(len, sides)):
            dof = len(effect) - 2
            variance = sum(((s - s.mean()) ** 2).sum() for s in sides) / dof if dof > 0 else 0
            say(_effect("Effect of being loaded second, whose order alternates between processes",
                        (sides[0].mean() - sides[1].mean()) / 2, variance * sum(1 / len(s) for s in sides) / 4, dof))
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
