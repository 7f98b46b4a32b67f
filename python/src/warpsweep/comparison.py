"""Points that were measured twice: in two files, in one file with two values of a column, or as pairs of a paired run."""
from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Sequence

import numpy as np
import pandas as pd

from . import verdicts
from .errors import UsageError
from .estimates import Estimator, estimates, finish, none, pooling, texts, units
from .frames import WORDS, column, frame, is_text, kernel, where
from .options import unknown
from .pairing import axes, partners, point_keys
from .pivots import person
from .results import Results
from .statistics import critical, paired
from .verdicts import Between, Rule, Scatter, widen

THRESHOLD, PAIRED_THRESHOLD = 0.01, 0.001  # of pairs: effects of order, and of the place of code, may reach it
ROOFS_DIFFER = 0.01  # units of one product whose roofs of DRAM differ by more are of two kinds
NO_ADDRESSES = ("constant", "texture", "texture2d")  # variants whose accesses the model cannot follow
FOLDER = Path(__file__).resolve().parents[3]  # of analysis/ and profiles/

# The words of `variant` from the plainest on: the first that a file has is the baseline of --by variant.
VARIANTS = {
    "add": "scalar vector half2 unpacked packed cub_transform bulk_load", "atomics": "add max exchange cas plain",
    "block_load": "direct striped vectorize transpose warp_transpose warp_transpose_timesliced manual wide",
    "cluster": "latency read write atomic sync sync_relaxed multicast bulk",
    "collective": "all_reduce all_gather reduce_scatter all_to_all broadcast send_recv",
    "contention": "copy_engine load store bulk_load bulk_store", "copy": "load store gridstride bulk memcpy cub_transform bulk_load",
    "dram_channels": "read write mixed", "gather": "linear strided permuted random",
    "host_copy": "pageable pinned overlapped round_trip zero_copy", "l2_topology": "load atomic l1",
    "latency": "shared l1 l2 dram constant dsmem", "layout": "aos soa aosoa",
    "lookup": "plain restrict ldg constant texture shared texture2d",
    "matmul": "naive tiled register cp_async tma cublas cublaslt", "mma_rate": "mma wgmma_ss wgmma_rs tcgen05 tcgen05_ld",
    "pack_bits": "cub ballot wide", "pages": "pages lines", "peer_copy": "copy_engine load store bulk_load bulk_store",
    "peer_latency": "load load_l1 atomic_add atomic_cas fence ping_pong",
    "prefetch": "sync cp_async pipeline_thread pipeline barrier bulk tensor",
    "reduce": "shared_tree shuffle cub_warp cub_block redux cub_device", "shared_stride": "read write broadcast ldmatrix stmatrix",
    "silu_mul": "silu gelu gelu_tanh", "stream": "copy mul add triad dot", "tensor_matmul": "mma wgmma tcgen05 cublaslt",
    "transpose": "naive shared padded swizzled vectorized tma cublas",
}


@dataclass
class Comparison:
    """Pairs of entries, and what is said of them.

    ``pairs``: section (place in ``sections``), kernel, a and b (rows in the files' ``rows``; -1: only the other side has the point);
    ``a`` and ``b``: the estimates of the sides, row by row, with whole (all of the row's samples), predicted and unit (UUID; ""
    several or unknown); ``ratios``: of `verdicts.ratios`, with verdict. A section is a baseline and what is held against it.
    """

    files: tuple[Results, Results]
    sections: list[tuple[str, str]]
    pairs: pd.DataFrame
    a: pd.DataFrame
    b: pd.DataFrame
    by: str = ""
    paired: bool = False
    rule: Rule = field(default_factory=Rule)
    ratios: pd.DataFrame = field(default_factory=pd.DataFrame)
    devices: tuple[set[int], set[int]] = (set(), set())  # that measured each side
    assumed: list[str] = field(default_factory=list)

    def texts(self, side: int, name: str) -> pd.Series:
        """A column of texts of the rows of a side; "" where it has none."""
        rows = self.files[side].rows
        at = self.pairs["ab"[side]].to_numpy()
        values = texts(rows, name).to_numpy()
        return pd.Series(np.where(at >= 0, values[np.maximum(at, 0)], "") if len(values) else "", self.pairs.index)

    def reals(self, side: int, name: str) -> np.ndarray:
        """The same of a column of numbers; NaN."""
        rows, at = self.files[side].rows, self.pairs["ab"[side]].to_numpy()
        if name not in rows or not len(rows):
            return np.full(len(at), np.nan)
        return np.where(at >= 0, rows[name].to_numpy(float, na_value=np.nan)[np.maximum(at, 0)], np.nan)

    def shares(self, side: int) -> np.ndarray:
        """Seconds at the point's roof over its estimate; NaN where it is not known for these samples."""
        e = (self.a, self.b)[side]
        known = e["whole"].to_numpy() & (e["basis"] != "none").to_numpy() & self.same_shares
        return np.where(known, self.reals(side, "fraction_peak") * self.reals(side, "time_median") / e["seconds"], np.nan)

    @property
    def same_shares(self) -> bool:
        """Whether shares of roofs mean the same: release 0.1 divided every rate by the copy peak."""
        return ("roof" in self.files[0].rows) == ("roof" in self.files[1].rows)

    @property
    def on_both(self) -> np.ndarray:
        return ((self.pairs["a"] >= 0) & (self.pairs["b"] >= 0)).to_numpy()


# ---- Entries: estimates of rows of one side ---------------------------------------------------------------------------------


def selected(results: Results, kernel_name: str | None, conditions: Sequence[str]) -> np.ndarray:
    """The rows of first measurements that meet the conditions, as positions in ``results.rows``."""
    rows = frame(results, canaries=True)
    return where(kernel(rows[rows["repeat"] == 0], kernel_name), list(conditions)).index.to_numpy()


def entries(side: Estimator, rows: np.ndarray, other: Estimator | None = None) -> pd.DataFrame:
    """The estimates of rows, by row, with whole, predicted and unit."""
    return _described(side, side.of(rows, other))


def _described(side: Estimator, e: pd.DataFrame, devices: Sequence[int] | None = None) -> pd.DataFrame:
    cells = side.cells[side.cells["row"].isin(e.index[e["basis"] != "none"])]
    whole = pd.Series(True, e.index)
    if devices is not None:
        mine = cells["device"].isin(devices)
        whole = mine.groupby(cells["row"]).all().reindex(e.index, fill_value=True)
        cells = cells[mine]
    uuid = texts(side.results.devices, "uuid").reindex(cells["device"], fill_value="").set_axis(cells["row"])
    unit = uuid.groupby(level=0).agg(lambda u: u.iloc[0] if (u == u.iloc[0]).all() else "") if len(uuid) else uuid
    return e.assign(whole=whole, predicted=False, unit=unit.reindex(e.index, fill_value=""))


def is_predicted(results: Results, rows: np.ndarray) -> np.ndarray:
    """Whether the rows were predicted, not measured."""
    return (texts(results.rows, "backend").to_numpy()[rows] == "predicted")


def knows_addresses(rows: pd.DataFrame) -> np.ndarray:
    """Whether the time model knows what the points access; without, it knows the bytes, and predicts a lower bound."""
    known = pd.Series(False, rows.index)
    for name in ("predicted_load_sectors", "predicted_store_sectors"):
        known |= rows[name].notna() if name in rows else False
    return (known & ~texts(rows, "variant").isin(NO_ADDRESSES)).to_numpy()


def predict(results: Results, rows: np.ndarray, measured: Results) -> pd.DataFrame:
    """Estimates of predicted rows. Their error is common to a family: the root mean square of the logarithm of measured over predicted
    time on the other side's points, beside the interval of the profile. No error for a family of which nothing was measured."""
    own = measured.rows[~is_predicted(measured, np.arange(len(measured.rows))) & knows_addresses(measured.rows)]
    off = np.log(own["time_median"] / own["predicted_time"]) if "predicted_time" in own else pd.Series(dtype=float)
    squares = (off[np.isfinite(off)] ** 2).groupby(own["kernel"]).agg(["mean", "size"])
    chosen = results.rows.iloc[rows]
    family = squares.reindex(chosen["kernel"])
    half = (np.log(chosen["predicted_time_high"] / chosen["predicted_time_low"]) / 2 / 1.96).to_numpy()
    e = none(rows).assign(
        log_seconds=np.log(chosen["predicted_time"]).to_numpy(), common=family["mean"].to_numpy(),
        common_dof=family["size"].fillna(1).to_numpy(float), own=np.where(np.isfinite(half), half**2, 0), own_dof=np.inf, prior=0.0,
        prior_dof=0.0, between=0.0, between_dof=np.inf, units=1, kind="device", top="process", basis="pooled")
    e["seconds"] = np.exp(e["log_seconds"])
    good = (texts(chosen, "status") == "ok").to_numpy()
    lost = ~good | ~knows_addresses(chosen)
    e[lost] = none(rows[lost])
    return e.assign(whole=True, predicted=good, unit="")


def _side(file: Estimator, rows: np.ndarray, other: Estimator) -> pd.DataFrame:
    guess = is_predicted(file.results, rows)
    parts = [entries(file, rows[~guess], other)]
    if guess.any():
        parts.append(predict(file.results, rows[guess], other.results))
    return pd.concat(parts) if len(parts) > 1 else parts[0]


def _aligned(e: pd.DataFrame, rows: np.ndarray) -> pd.DataFrame:
    """Entries of rows, of which -1 is none at all, with an index from 0 on."""
    absent = none([-1]).assign(whole=True, predicted=False, unit="")
    return pd.concat([e, absent]).loc[rows].reset_index(drop=True)


# ---- Two files -----------------------------------------------------------------------------------------------------------------


def of_files(a: Results, b: Results, rows_a: np.ndarray, rows_b: np.ndarray, names: tuple[str, str]) -> Comparison:
    """The points of two files; rows: positions in the files' rows."""
    files = [Estimator(one) for one in (a, b)]
    partner = partners(a.rows.iloc[rows_a], b.rows.iloc[rows_b], a.columns, b.columns)
    of_a = np.where(partner >= 0, rows_b[np.maximum(partner, 0)] if len(rows_b) else -1, -1)
    only_b = np.delete(rows_b, partner[partner >= 0])
    pairs = pd.DataFrame({"section": 0, "a": np.append(rows_a, np.full(len(only_b), -1)), "b": np.append(of_a, only_b)}).astype(int)
    kernels = [one.rows["kernel"].to_numpy() for one in (a, b)]
    pairs["kernel"] = [kernels[0][i] if i >= 0 else kernels[1][k] for i, k in zip(pairs["a"], pairs["b"])]
    sides = [_aligned(_side(*of), pairs[name].to_numpy())
             for name, of in (("a", (files[0], rows_a, files[1])), ("b", (files[1], rows_b, files[0])))]
    used = tuple(set(range(len(one.results.devices))) if e["predicted"].any()  # a prediction is for one device
                 else set(one.cells["device"][one.cells["row"].isin(rows)]) for one, rows, e in zip(files, (rows_a, rows_b), sides))
    return Comparison((a, b), [names], pairs, *sides, devices=used)


# ---- One file, by a column -------------------------------------------------------------------------------------------------------


def by_columns(results: Results, rows: np.ndarray, by: str, baseline: str | None) -> Comparison:
    """The points of one file that differ only in `by`: axes with commas between, or a property of devices.

    Each value of a kernel is compared with `baseline`; None: with the kernel's first word, smallest number or first device.
    UsageError for an unknown column or value, and if there is no pair.
    """
    names = by.split(",")
    known = axes(results.columns)
    of_device = [name == "device" or name not in known and name.split(".")[-1] in results.devices for name in names]
    for name, device in zip(names, of_device):
        if not device:
            column(frame(results), name)
            if name not in known:
                raise UsageError(f"--by {name}: neither an axis nor a property of devices; try arch, variant, driver or device")
        elif len(names) > 1:
            raise UsageError(f"--by {by}: several columns must all be axes, {name} is not")
    file = Estimator(results)
    members = (_by_device if of_device[0] else _by_axes)(file, rows, names, known)
    if baseline is not None and baseline not in set(members["value"]):
        raise unknown(f"value of {by} among the measured points:", baseline, members["value"].unique())
    base = members["value"] == baseline if baseline is not None else members["value"] == members.groupby("kernel")["value"].transform("first")
    bases = members[base].drop_duplicates(["kernel", "point"], keep="last")
    pairs = members[~base].merge(bases, on=["kernel", "point"], suffixes=("_b", "_a"))
    if not len(pairs):
        raise UsageError(f"no two points differ only in {by}" + (f", one of them with {baseline}" if baseline else ""))
    sections = list(dict.fromkeys(zip(pairs["value_a"], pairs["value_b"])))
    found = pairs[["kernel"]].assign(section=[sections.index(names) for names in zip(pairs["value_a"], pairs["value_b"])],
                                     a=pairs["row_a"], b=pairs["row_b"])
    all_entries = _entries_of_members(file, members, of_device[0])
    sides = [all_entries.loc[pd.MultiIndex.from_arrays([pairs[f"value_{s}"] if of_device[0] else [""] * len(pairs), pairs[f"row_{s}"]])]
             .reset_index(drop=True) for s in "ab"]
    used = {int(d) for d in file.cells["device"][file.cells["row"].isin(rows)]}
    if of_device[0]:
        shown = set(pairs["value_a"]) | set(pairs["value_b"])
        used = {d for d in used if _device_values(results, names[0])[d] in shown}
    return Comparison((results, results), sections, found, *sides, by=by, devices=(used, used))


def place(kernel_name: str, axis: str, word: str) -> int:
    """The place of a word in the kernel's own list."""
    words = VARIANTS.get(kernel_name, "").split() if axis == "variant" else WORDS.get(axis, ())
    return list(words).index(word) if word in words else 0


def _by_axes(file: Estimator, rows: np.ndarray, names: list[str], known: list[str]) -> pd.DataFrame:
    """The rows that have all columns, by kernel and value: row, kernel, point, value."""
    columns = file.results.columns
    chosen = file.results.rows.iloc[rows]
    chosen = chosen[np.logical_and.reduce([chosen[name].notna() & (chosen[name] != "") for name in names])]
    point = point_keys(chosen, [name for name in known if name not in names])
    value = [",".join(person(cell, columns[name]) for name, cell in zip(names, cells)) for cells in chosen[names].itertuples(index=False)]
    order = {f"place {i}": [place(k, name, v) for k, v in zip(chosen["kernel"], chosen[name])] if is_text(chosen[name])
             else chosen[name].to_numpy() for i, name in enumerate(names)}
    members = pd.DataFrame({"row": chosen.index, "kernel": chosen["kernel"].to_numpy(), "point": point, "value": value, **order})
    return members.sort_values(["kernel", *order, "value", "row"], kind="stable")


def _device_values(results: Results, name: str) -> list[str]:
    if name == "device":
        return [str(d) for d in range(len(results.devices))]
    name = name.split(".")[-1]
    return [person(value, results.device_columns[name]) for value in results.devices[name]]


def _by_device(file: Estimator, rows: np.ndarray, names: list[str], known: list[str]) -> pd.DataFrame:
    """The same, for each value that devices of a row's samples have."""
    values = np.array(_device_values(file.results, names[0]), dtype=object)
    chosen = file.results.rows.iloc[rows]
    point = pd.Series(point_keys(chosen, known), index=chosen.index)
    good = file.cells["row"].isin(rows[(texts(chosen, "status") == "ok").to_numpy()]) & (file.cells["device"] < len(values))
    cells = file.cells[good]
    members = pd.DataFrame({"row": cells["row"], "value": values[cells["device"]],
                            "place": cells["device"] if names[0] == "device" else 0}).drop_duplicates(["row", "value"])
    members = members.assign(kernel=chosen["kernel"].reindex(members["row"]).to_numpy(), point=point.reindex(members["row"]).to_numpy())
    return members.sort_values(["kernel", "place", "value", "point", "row"], kind="stable").assign(by=names[0])


def _entries_of_members(file: Estimator, members: pd.DataFrame, of_device: bool) -> pd.DataFrame:
    """Entries by (value, row); the value is "" for axes. Other devices have other processes: each value has its own pooling."""
    if not of_device:
        rows = members["row"].unique()
        return entries(file, rows).set_axis(pd.MultiIndex.from_product([[""], rows]))
    values, parts = np.array(_device_values(file.results, members["by"].iloc[0]), dtype=object), []
    for value, group in members.groupby("value", sort=False):
        devices = np.flatnonzero(values == value)
        own = units(file.cells[file.cells["row"].isin(group["row"]) & file.cells["device"].isin(devices)])
        e = _described(file, estimates(own, pooling(own)), devices)
        parts.append(e.set_axis(pd.MultiIndex.from_product([[value], e.index])))
    return pd.concat(parts)


# ---- Pairs of a paired run ---------------------------------------------------------------------------------------------------------


def paired_axis(results: Results) -> list[str] | None:
    """The axis in which the pairs of a paired run differ, and its two values, the baseline first; None: the file has no pairs."""
    words = (results.env("pairs") or "").split()
    return words[:3] if len(words) >= 3 and words[0] in results.rows else None


def of_pairs(results: Results, rows: np.ndarray, baseline: str | None) -> Comparison:
    """Two versions whose points were timed together. `baseline`: the version to compare with; None: the first.

    The ratio of each process counts as a time: the estimate of a, times the ratio. So the pooling knows how long the point takes, and
    its estimate less that of a is the logarithm of the ratio. Of several processes the scatter of their ratios is the whole variance:
    what the samples of each say overstates that of so few quotients.
    """
    axis, *versions = paired_axis(results)
    if baseline is not None and baseline not in versions:
        raise unknown("version", baseline, versions)
    swapped = baseline == versions[1]
    versions = versions[::-1] if swapped else versions
    chosen = results.rows.iloc[rows]
    version = chosen[axis] if is_text(chosen[axis]) else chosen[axis].map(lambda v: "" if v != v else str(int(v)))
    key = point_keys(chosen, [name for name in axes(results.columns) if name != axis])
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
                             columns=["pair", "device", "process", "turn", "log_ratio", "variance", "dof", "order", "quotients"])
    alone = estimates(file.units[file.units["row"].isin(pairs["a"])], None)["log_seconds"].reindex(pairs["a"]).to_numpy()
    several = processes.groupby("pair")["pair"].transform("size") > 1
    cells = processes.assign(row=processes["pair"], kind=a["kind"].to_numpy()[processes["pair"]], spread=np.nan,
                             log_median=alone[processes["pair"]] + processes["log_ratio"],
                             variance=processes["variance"].where(~several, 0), samples=processes["quotients"])
    its = units(cells)
    found = estimates(its, pooling(its)).reindex(pairs.index)
    empty = found["basis"].isna()
    found[empty] = none(found.index[empty])
    extra = a[["whole", "predicted", "unit"]]
    second = pd.concat([found, extra], axis=1)
    first = second.assign(log_seconds=np.where(empty, np.nan, alone), seconds=np.where(empty, np.nan, np.exp(alone)),
                          **{name: np.where(empty, np.nan, 0.0) for name in ("common", "own", "prior", "between")})
    used = set(file.cells["device"][file.cells["row"].isin(both.to_numpy().ravel())])
    comparison = Comparison((results, results), [tuple(versions)], pairs, first, second, by=axis, paired=True, devices=(used, used))
    _explain_pairs(comparison, processes)
    return comparison


def _processes(file: Estimator, pair: int, row_a: int, row_b: int, swapped: bool) -> list[dict[str, float]]:
    """What each process tells that took as many samples of either version. Processes of a device take their turns by their numbers;
    in every other one B's code is loaded, and timed, first."""
    found, runs = [], []
    for row in (row_a, row_b):
        begin, count = file.results.rows.loc[row, ["sample_offset", "sample_count"]].astype(int)
        taken = file.results.samples.iloc[begin:begin + count]
        change = (taken[["device", "process"]].fillna(-1).diff() != 0).any(axis=1).cumsum()
        runs.append([(g["device"].iloc[0], g["process"].iloc[0], g["seconds"].to_numpy()) for _, g in taken.groupby(change)])
    partner = {(device, process): seconds for device, process, seconds in reversed(runs[1])}
    for device, process, seconds in runs[0]:
        turn = sum(d == device and p < process for d, p, _ in runs[0]) + swapped
        other = partner.get((device, process))
        if other is not None and len(other) == len(seconds) >= 2:
            found.append({"pair": pair, "device": device, "process": process, "turn": turn,
                          **paired(seconds, other, bool(turn % 2))})
    return found


def _effect(what: str, mean: float, variance: float, dof: float) -> str:
    interval = f" (95 % interval +-{100 * float(critical(0.05, dof)) * np.sqrt(variance):.3f} %)" if dof >= 1 and variance > 0 else ""
    return f"{what}: {100 * np.expm1(mean):+.3f} %{interval}."


def _explain_pairs(comparison: Comparison, processes: pd.DataFrame) -> None:
    """Effects of order, and the pairs without a verdict."""
    say = comparison.assumed.append
    say("Both versions were timed in the same processes, alternately. Intervals are of the differences between processes.")
    alone = int((comparison.b["basis"] == "within").sum())
    if alone:
        say(f"One process measured {alone} of {len(comparison.pairs)} pairs: how processes differ is unknown and assumed to be zero.")
    if len(processes):
        keys = ["device", "process"]
        order = processes.groupby(keys)["order"].mean()
        say(_effect("Effect of coming second in a couple of samples, which cancels in every quadruple A B B A", order.mean(),
                    order.var() / len(order) if len(order) > 1 else 0, len(order) - 1))
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
        say(f"{apart} pair{'' if apart == 1 else 's'} without a verdict: the versions were not timed together; see the column message.")
    if bad.any():
        first, names = bad.idxmax(), comparison.sections[0]
        say(f"{bad.sum()} pair{'' if bad.sum() == 1 else 's'} without a verdict: one version has no time ({names[0]}: "
            f"{status[0][first]}, {names[1]}: {status[1][first]}).")


# ---- What is refused ---------------------------------------------------------------------------------------------------------------


def _cache_state(comparison: Comparison, side: int) -> pd.Series:
    """In release 0.1 `cold` left clean lines in L2, which is now called `clean`."""
    cache = comparison.texts(side, "cache")
    return cache if "l2_dirty" in comparison.files[side].rows else cache.replace("cold", "clean")


def _timer(comparison: Comparison, side: int) -> pd.Series:
    """`graph` and `single` are both timed by events; which one is used depends on the duration."""
    return comparison.texts(side, "timer").replace({"graph": "events", "single": "events"})


def check(comparison: Comparison, mixed: bool) -> None:
    """UsageError for pairs whose times are not comparable; with `mixed` they are an assumption."""
    found = []
    on_purpose = {name.split(".")[-1] for name in comparison.by.split(",")}
    a, b = comparison.a, comparison.b
    timed = ((a["basis"] != "none") & (b["basis"] != "none") if not comparison.paired else
             (comparison.texts(0, "status") == "ok") & (comparison.texts(1, "status") == "ok"))
    for what, name, of in (("states of L2", "cache", _cache_state), ("back ends", "backend", lambda c, s: c.texts(s, "backend")),
                           ("timers", "timer", _timer)):
        if name in on_purpose:
            continue
        sides = [of(comparison, side) for side in (0, 1)]
        differ = timed & (sides[0] != sides[1])
        if name != "cache":
            differ &= ~(a["predicted"] | b["predicted"])
        if differ.any():
            x, y = (side[differ.idxmax()] or "one not noted" for side in sides)
            found.append(f"different {what} at {differ.sum()} point{'' if differ.sum() == 1 else 's'} ({y} against {x})")
    if found and not mixed:
        raise UsageError(f"times are not comparable: {', '.join(found)}; --mixed compares them anyway")
    if found:
        comparison.assumed.append(f"Mixed: {', '.join(found)}. Differences may come from these.")


# ---- Verdicts ----------------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=None)
def scatter_of(product: str) -> Scatter | None:
    """How runs and units of a product scatter, by its shipped profile; None if it is not known."""
    for path in sorted((FOLDER / "profiles").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        name = re.search(r'^name: "(.*)"', text, re.M)
        if not name or name[1] != product:
            continue
        value = {key: float(number) for key, number in re.findall(r"^  (spread_\w+): \{value: ([^,]+),", text, re.M)}
        if "spread_units" not in value:
            return None
        runs, number_units = int(value["spread_runs"]), int(value["spread_units"])
        dofs = {"run_dof": max(1, runs - number_units), "unit_dof": max(1, number_units - value.get("spread_groups", 1)), "runs": runs,
                "units": number_units}
        short, long = (Between(value.get(f"spread_run_{of}", 0) ** 2, value.get(f"spread_unit_{of}", 0) ** 2, **dofs)
                       for of in ("short", "long"))
        return Scatter(short, long, re.search(r'^  spread_units: .*\n\s*source: "(.*)"', text, re.M)[1])
    return None


def _product(comparison: Comparison) -> str | None:
    """The product that measured both sides; None: several, or a prediction."""
    if comparison.a["predicted"].any() or comparison.b["predicted"].any():
        return None
    found = set()
    for results, used in zip(comparison.files, comparison.devices):
        if any(device >= len(results.devices) for device in used):
            return None
        found |= {(texts(results.devices, "name").iloc[d], texts(results.devices, "backend").iloc[d]) for d in used}
    return found.pop()[0] if len(found) == 1 else None


def judge(comparison: Comparison, threshold: float | None = None) -> Comparison:
    """With ratios, verdicts and what they assume. Intervals of two files include what other runs and units add, if it is known."""
    product = _product(comparison)
    c = replace(comparison, rule=Rule(threshold or (PAIRED_THRESHOLD if comparison.paired else THRESHOLD),
                                      alike=product is not None and not comparison.paired))
    scatter = scatter_of(product) if product is not None and not c.by else None
    unit_a, unit_b = c.a["unit"], c.b["unit"]
    others = ((unit_a == "") | (unit_b == "") | (unit_a != unit_b)).to_numpy()
    c.a, c.b = (widen(scatter, others, e) for e in (c.a, c.b))
    ratios = verdicts.ratios(c.rule, c.a, c.b)
    # If one side borrows the other's deviations, the pooled variances of both are one estimate, whose degrees of freedom must not
    # count twice: the lender takes over the borrower's part.
    lent = (c.a["basis"] == "pooled") & (c.b["basis"] == "pooled") & (c.a["borrowed"] != c.b["borrowed"])
    if lent.any():
        both = c.a["common"] + c.b["common"]
        c.a["common"] = c.a["common"].where(~lent, np.where(c.a["borrowed"], 0, both))
        c.b["common"] = c.b["common"].where(~lent, np.where(c.b["borrowed"], 0, both))
        ratios[lent.to_numpy()] = verdicts.ratios(replace(c.rule, alike=False), c.a[lent], c.b[lent]).set_axis(np.flatnonzero(lent))
    verdict = verdicts.decide(c.rule, ratios)
    verdict[(verdict == "not measured") & ratios["ratio"].notna().to_numpy()] = "uncertain"  # by one sample alone
    c.ratios = ratios.assign(verdict=verdict)
    if scatter is not None:
        c.assumed.append(_say_widening(scatter, others))
    if not c.paired:
        _assume(c, product is not None)
    return c


def _say_widening(scatter: Scatter, others: np.ndarray) -> str:
    many = int(others.sum())
    whose = "Two runs of one unit at each point" if not many else "Two units of one product" if others.all() else "Units of one product"
    points = f" at {many} points, and another run at the others" if 0 < many < len(others) else ""
    return (f"{whose}: intervals include what another {'unit' if many else 'run'} adds{points}, by {scatter.long.runs} runs on "
            f"{scatter.long.units} units (the product's profile; {scatter.source}).")


# ---- What verdicts assume ------------------------------------------------------------------------------------------------------------


def _differences(a: Results, b: Results) -> str:
    found = []

    def differ(what: str, x: str, y: str) -> None:
        if x != y:
            found.append(f"{what} ({x[:60] or 'unknown'}, {y[:60] or 'unknown'})")

    for name, what in a.device_columns.items():
        if name in b.devices and not what.meaning.startswith("measured: ") and name not in ("ordinal", "pci"):
            differ(name, *(" and ".join(dict.fromkeys(person(v, file.device_columns[name]) for v in file.devices[name])) for file in (a, b)))
    for name in ("commit", "job", "seed", "hostname"):
        differ(name, *(file.env(name) or "" for file in (a, b)))
    if a.job != b.job:
        found.append("job")
    for name in ("peak_copy", "peak_read"):
        x, y = (float(file.devices[name].iloc[0]) if name in file.devices else np.nan for file in (a, b))
        if abs(np.log(y / x)) > ROOFS_DIFFER:
            found.append(f"{name} (measured: {x / 1e9:.4g}, {y / 1e9:.4g} GB/s)")
    return ", ".join(found)


def _say_replicates(c: Comparison) -> str | None:
    """How many replicates would find twice the threshold, if these are too few: of all points, and by state of L2."""
    effect = 2 * c.rule.threshold
    if verdicts.detectable(c.rule, c.ratios) <= effect:
        return None
    kind = c.a["kind"].replace("", "device")
    many = {name: verdicts.replicates(c.rule, c.a[mine], c.b[mine], c.ratios[mine], effect)
            for name, mine in (("cold", kind == "device"), ("hot", kind == "hot"), ("rotate", kind == "rotate"),
                               ("host link", kind == "host"))}
    told = [f"{name} {f'over {verdicts.REPLICATES_MAX}' if n > verdicts.REPLICATES_MAX else n}" for name, n in many.items() if n]
    kinds = f" ({', '.join(told)})" if len(told) > 1 else ""
    n = verdicts.replicates(c.rule, c.a, c.b, c.ratios, effect)
    if n > verdicts.REPLICATES_MAX:
        return f"Even {verdicts.REPLICATES_MAX} replicates would not find {100 * effect:g} % at 95 % of the points{kinds}."
    return f"{n} replicates would find {100 * effect:g} % at 95 % of the points{kinds}." if n else None


def _assume(c: Comparison, one_product: bool) -> None:
    """Add what the verdicts assume, and what differs between the sides."""
    say = c.assumed.append
    a, b = c.files
    replicates = _say_replicates(c)
    if replicates:
        say(replicates)
    if not c.by and len(a.devices) and len(b.devices) and (c.pairs["a"] >= 0).any() and (c.pairs["b"] >= 0).any():
        found = _differences(a, b)
        say(f"The sides differ in {found}." if found else "The sides do not differ in device, driver, commit or job.")
    for side, e in (("A", c.a), ("B", c.b)):
        if e["predicted"].any():
            say(f"{side} was predicted, not measured. Its error is assumed to be the time model's root mean square error on the other "
                "side's measured points of the family. Points without known addresses are not compared.")
    names = ("The baseline", "The others") if c.by else ("A", "B")
    known = []
    for e, results in zip((c.a, c.b), c.files):
        mine = c.ratios["ratio"].notna() & ~e["predicted"]
        known.append(((e["basis"] == "within")[mine].sum(), e["borrowed"][mine].sum(), mine.sum(),
                      bool(mine.any()) and "processes" not in results.rows))
    if known[0][0] == known[1][0] and known[0][3] == known[1][3] and known[0][1] + known[1][1] == 0:
        _assume_of(say, "This file" if c.by else "Both files", "", known[0], one_product)
    else:
        _assume_of(say, names[0], names[1], known[0], one_product)
        _assume_of(say, names[1], names[0], known[1], one_product)
    say("One device product: equal variances are assumed." if one_product
        else "Different device products: equal variances are not assumed.")
    if c.by:
        say("Both sides are treated as independent. If the same processes measured both, intervals are wider than necessary.")
    if not c.same_shares:
        say("No shares of roofs: release 0.1 divided by the copy peak, later releases divide by the point's roof.")


def _assume_of(say, whose: str, others: str, known: tuple[int, int, int, bool], one_product: bool) -> None:
    within, borrowed, measured, unlabelled = known
    if unlabelled:
        say(f"{whose}: release 0.1 did not record processes; all samples of a point count as those of one process.")
    if borrowed:
        say(f"{whose}: one process measured {borrowed} of {measured} points. Its processes are assumed to differ as much as those of "
            f"{others}{'' if one_product else ', though the device is of another product'}.")
    if within:
        say(f"{whose}: one process measured {within} of {measured} points, so the difference between processes is unknown and assumed "
            "to be zero. A difference may be gone in the next run. `timing: {replicates: 3}` measures it.")
