"""Points that were measured twice: in two files, in one file with two values of a column, or as pairs of a paired
run."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .errors import UsageError
from .estimates import Estimator, estimates, none, pooling, texts, units
from .frames import WORDS, column, frame, is_text, kernel, where
from .options import unknown
from .pairing import axes, partners, point_keys
from .pivots import person
from .results import Results
from .verdicts import Rule, Scatter

NO_ADDRESSES = ("constant", "texture", "texture2d")  # variants whose accesses the model cannot follow

# The words of `variant` from the plainest on: the first that a file has is the baseline of --by variant.
VARIANTS = {
    "add": "scalar vector half2 unpacked packed cub_transform bulk_load", "atomics": "add max exchange cas plain",
    "block_load": "direct striped vectorize transpose warp_transpose warp_transpose_timesliced manual wide",
    "cluster": "latency read write atomic sync sync_relaxed multicast bulk",
    "collective": "all_reduce all_gather reduce_scatter all_to_all broadcast send_recv",
    "contention": "copy_engine load store bulk_load bulk_store",
    "copy": "load store gridstride bulk memcpy cub_transform bulk_load",
    "dram_channels": "read write mixed", "gather": "linear strided permuted random",
    "host_copy": "pageable pinned overlapped round_trip zero_copy", "l2_topology": "load atomic l1",
    "latency": "shared l1 l2 dram constant dsmem", "layout": "aos soa aosoa",
    "lookup": "plain restrict ldg constant texture shared texture2d",
    "matmul": "naive tiled register cp_async tma cublas cublaslt",
    "mma_rate": "mma wgmma_ss wgmma_rs tcgen05 tcgen05_ld",
    "pack_bits": "cub ballot wide", "pages": "pages lines", "peer_copy": "copy_engine load store bulk_load bulk_store",
    "peer_latency": "load load_l1 atomic_add atomic_cas fence ping_pong",
    "prefetch": "sync cp_async pipeline_thread pipeline barrier bulk tensor",
    "reduce": "shared_tree shuffle cub_warp cub_block redux cub_device",
    "shared_stride": "read write broadcast ldmatrix stmatrix",
    "silu_mul": "silu gelu gelu_tanh", "stream": "copy mul add triad dot",
    "tensor_matmul": "mma wgmma tcgen05 cublaslt", "transpose": "naive shared padded swizzled vectorized tma cublas",
}


@dataclass
class Comparison:
    """Pairs of entries, and what is said of them.

    ``pairs``: section (place in ``sections``), kernel, a and b (rows in the files' ``rows``; -1: only the other side
    has the point); ``a`` and ``b``: the estimates of the sides, row by row, with whole (all of the row's samples),
    predicted and unit (UUID; "" several or unknown); ``ratios``: of `verdicts.ratios`, with verdict. A section is a
    baseline and what is held against it.
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
    scatter: tuple[Scatter | None, Scatter | None] = (None, None)  # of the product of each side
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
        return np.where(known, self.reals(side, "fraction_peak") * self.reals(side, "time_median") / e["seconds"],
                        np.nan)

    @property
    def same_shares(self) -> bool:
        """Whether shares of roofs mean the same: release 0.1 divided every rate by the copy peak."""
        return ("roof" in self.files[0].rows) == ("roof" in self.files[1].rows)

    @property
    def on_both(self) -> np.ndarray:
        return ((self.pairs["a"] >= 0) & (self.pairs["b"] >= 0)).to_numpy()


# ---- Entries: estimates of rows of one side ------------------------------------------------------------------------


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
    groups = uuid.groupby(level=0)
    unit = groups.first().where(groups.nunique() == 1, "")
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
    """Estimates of predicted rows. Their error is common to a family: the root mean square of the logarithm of measured
    over predicted time on the other side's points, beside the interval of the profile. No error for a family of which
    nothing was measured."""
    own = measured.rows[~is_predicted(measured, np.arange(len(measured.rows))) & knows_addresses(measured.rows)]
    off = np.log(own["time_median"] / own["predicted_time"]) if "predicted_time" in own else pd.Series(dtype=float)
    squares = (off[np.isfinite(off)] ** 2).groupby(own["kernel"]).agg(["mean", "size"])
    chosen = results.rows.iloc[rows]
    family = squares.reindex(chosen["kernel"])
    half = (np.log(chosen["predicted_time_high"] / chosen["predicted_time_low"]) / 2 / 1.96).to_numpy()
    e = none(rows).assign(
        log_seconds=np.log(chosen["predicted_time"]).to_numpy(), common=family["mean"].to_numpy(),
        common_dof=family["size"].fillna(1).to_numpy(float), own=np.where(np.isfinite(half), half**2, 0),
        own_dof=np.inf, prior=0.0,
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


# ---- Two files -----------------------------------------------------------------------------------------------------


def of_files(a: Results, b: Results, rows_a: np.ndarray, rows_b: np.ndarray, names: tuple[str, str]) -> Comparison:
    """The points of two files; rows: positions in the files' rows."""
    files = [Estimator(one) for one in (a, b)]
    partner = partners(a.rows.iloc[rows_a], b.rows.iloc[rows_b], a.columns, b.columns)
    of_a = np.where(partner >= 0, rows_b[np.maximum(partner, 0)] if len(rows_b) else -1, -1)
    only_b = np.delete(rows_b, partner[partner >= 0])
    pairs = pd.DataFrame({"section": 0, "a": np.append(rows_a, np.full(len(only_b), -1)),
                          "b": np.append(of_a, only_b)}).astype(int)
    kernels = [one.rows["kernel"].to_numpy() for one in (a, b)]
    pairs["kernel"] = [kernels[0][i] if i >= 0 else kernels[1][k] for i, k in zip(pairs["a"], pairs["b"])]
    sides = [_aligned(_side(*of), pairs[name].to_numpy())
             for name, of in (("a", (files[0], rows_a, files[1])), ("b", (files[1], rows_b, files[0])))]
    used = tuple(set(range(len(one.results.devices))) if e["predicted"].any()  # a prediction is for one device
                 else set(one.cells["device"][one.cells["row"].isin(rows)]) for one, rows,
                 e in zip(files, (rows_a, rows_b), sides))
    return Comparison((a, b), [names], pairs, *sides, devices=used)


# ---- One file, by a column -----------------------------------------------------------------------------------------


def by_columns(results: Results, rows: np.ndarray, by: str, baseline: str | None) -> Comparison:
    """The points of one file that differ only in `by`: axes with commas between, or a property of devices.

    Each value of a kernel is compared with `baseline`; None: with the kernel's first word, smallest number or first
    device. UsageError for an unknown column or value, and if there is no pair.
    """
    names = by.split(",")
    known = axes(results.columns)
    of_device = [name == "device" or name not in known and name.split(".")[-1] in results.devices for name in names]
    for name, device in zip(names, of_device):
        if not device:
            column(frame(results), name)
            if name not in known:
                raise UsageError(f"--by {name}: neither an axis nor a property of devices; try arch, variant, driver or "
                                 "device")
        elif len(names) > 1:
            raise UsageError(f"--by {by}: several columns must all be axes, {name} is not")
    file = Estimator(results)
    members = (_by_device if of_device[0] else _by_axes)(file, rows, names, known)
    if baseline is not None and baseline not in set(members["value"]):
        raise unknown(f"value of {by} among the measured points:", baseline, members["value"].unique())
    first = members.groupby("kernel")["value"].transform("first")
    base = members["value"] == (first if baseline is None else baseline)
    bases = members[base].drop_duplicates(["kernel", "point"], keep="last")
    pairs = members[~base].merge(bases, on=["kernel", "point"], suffixes=("_b", "_a"))
    if not len(pairs):
        raise UsageError(f"no two points differ only in {by}" + (f", one of them with {baseline}" if baseline else ""))
    sections = list(dict.fromkeys(zip(pairs["value_a"], pairs["value_b"])))
    found = pairs[["kernel"]].assign(section=[sections.index(names)
                                              for names in zip(pairs["value_a"], pairs["value_b"])],
                                     a=pairs["row_a"], b=pairs["row_b"])
    all_entries = _entries_of_members(file, members, of_device[0])
    sides = [all_entries.loc[pd.MultiIndex.from_arrays([pairs[f"value_{s}"] if of_device[0] else [""] * len(pairs),
                                                        pairs[f"row_{s}"]])]
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
    value = [",".join(person(cell, columns[name]) for name, cell in zip(names, cells))
             for cells in chosen[names].itertuples(index=False)]
    order = {f"place {i}": [place(k, name, v) for k, v in zip(chosen["kernel"], chosen[name])] if is_text(chosen[name])
             else chosen[name].to_numpy() for i, name in enumerate(names)}
    members = pd.DataFrame({"row": chosen.index, "kernel": chosen["kernel"].to_numpy(), "point": point, "value": value,
                            **order})
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
    good = file.cells["row"].isin(rows[(texts(chosen,
                                              "status") == "ok").to_numpy()]) & (file.cells["device"] < len(values))
    cells = file.cells[good]
    members = pd.DataFrame({"row": cells["row"], "value": values[cells["device"]],
                            "place": cells["device"] if names[0] == "device" else 0}).drop_duplicates(["row", "value"])
    members = members.assign(kernel=chosen["kernel"].reindex(members["row"]).to_numpy(),
                             point=point.reindex(members["row"]).to_numpy())
    return members.sort_values(["kernel", "place", "value", "point", "row"], kind="stable").assign(by=names[0])


def _entries_of_members(file: Estimator, members: pd.DataFrame, of_device: bool) -> pd.DataFrame:
    """Entries by (value, row); the value is "" for axes. Other devices have other processes: each value has its own
    pooling."""
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
