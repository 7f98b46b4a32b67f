"""Points that were measured twice: in two files, with two values of a column in one, or in a paired run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .columns import Columns, is_text, texts
from .condition import follows_loads, is_transient
from .errors import UsageError, unknown
from .estimates import Estimator, aligned, cells, cells_of, estimates, none, of_file, pooling, units
from .frames import Paths, frame, one_of
from .pairing import partners, point_keys
from .results import Results
from .rows import is_above_roof, is_predicted, knows_addresses, part_of
from .selecting import column, kernel, may_name, where, words_in_order
from .statistics import critical, paired
from .time_model import TIMES, errors
from .units import plural
from .values import human
from .verdicts import Rule, Scatter


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
    # the same pairs in cycles of the SM clock, if it was lowered at any
    cycles: Comparison | None = None

    @property
    def columns(self) -> Columns:
        a, b = (file.columns for file in self.files)
        return Columns({**a, **b, **a})

    def texts(self, side: int, name: str) -> pd.Series:
        """A column of texts of the rows of a side; "" where it has none."""
        return (
            texts(self.files[side].rows, name)
            .reindex(self.pairs["ab"[side]], fill_value="")
            .set_axis(self.pairs.index)
        )

    def shares(self, side: int) -> pd.Series:
        """Seconds at the point's roof over its estimate; NaN where it is not known for these samples."""
        e = (self.a, self.b)[side]
        rows = (
            self.files[side]
            .rows.reindex(columns=["fraction_peak", "time_median"])
            .reindex(self.pairs["ab"[side]])
        )
        shares = rows.astype(float).prod(axis=1, skipna=False).to_numpy() / e["seconds"]
        return shares.where(e["whole"] & (e["basis"] != "none"))

    @property
    def above(self) -> pd.Series[bool]:
        """Pairs with a side above its roof: they are not compared."""
        sides = [
            is_above_roof(file.rows).reindex(self.pairs[side], fill_value=False).to_numpy()
            for file, side in zip(self.files, "ab")
        ]
        return pd.Series(sides[0] | sides[1], self.pairs.index) & self.on_both

    @property
    def of_one_process(self) -> pd.Series[bool]:
        """Pairs with a side that one process measured, which does not tell how processes differ: nothing is called of them."""
        return self.a["basis"].eq("within") | self.b["basis"].eq("within")

    @property
    def on_both(self) -> pd.Series:
        return (self.pairs[["a", "b"]] >= 0).all(axis=1)


# What comparisons take of /results, beside what every reader does.
COMPARED = {
    *"l2_dirty latency_p50 message paired_with processes shared throttle timer".split(),
    *"code_hash registers shared_static local_bytes".split(),
    *"launch_hash grid_blocks block_threads shared_dynamic protocol_hash".split(),
}


def opened(files: Sequence[Paths], conditions: Sequence[str] = ()) -> list[Results]:
    """Files for comparisons: of those that were measured what these and the conditions need, which is a fifth."""
    names = may_name(conditions)
    columns = None if names.intersection(TIMES) else {*COMPARED, *names}
    found = [one_of(one, columns) for one in files]
    if any(is_predicted(file.rows).any() for file in found):  # the time model takes more
        found = [one_of(one) for one in files]
        for file in found:
            if is_predicted(file.rows).any() and "predicted_time" not in file.rows:
                raise UsageError(
                    f"{file.path} has no times, as warpsweep points wrote it: use predict"
                )
    return found


def selected(results: Results, kernel_name: str | None, conditions: Sequence[str]) -> np.ndarray:
    """The rows of first measurements that meet the conditions, as positions in ``results.rows``."""
    if kernel_name is None and not conditions:
        return results.rows.index[results.rows["repeat"] == 0].to_numpy()
    names = may_name(conditions)
    predicted = bool(names.intersection(TIMES))
    rows = frame(results, canaries=True, predicted=predicted, devices=names)
    return where(kernel(rows[rows["repeat"] == 0], kernel_name), list(conditions)).index.to_numpy()


def entries(
    side: Estimator, rows: np.ndarray, other: Estimator | None = None, settled: bool = False
) -> pd.DataFrame:
    """The estimates of rows, by row, with whole, predicted and unit. Rows above their roof have none: they are no results.
    Those of transients have none beside predictions, which are of the ``settled`` state."""
    e = side.of(rows, other)
    above = is_above_roof(side.results.rows.loc[e.index])
    above |= settled and follows_loads(side.results)
    if above.any():
        e = pd.concat([e[~above], none(list(e.index[above]))]).reindex(e.index)
    mine = side.cells[side.cells["row"].isin(e.index[e["basis"] != "none"])]
    count = mine["row"].value_counts()
    whole = count == cells(side.results)["row"].value_counts().reindex(count.index)
    uuid = (
        texts(side.results.devices, "uuid")
        .reindex(mine["device"], fill_value="")
        .groupby(mine["row"].to_numpy())
    )
    unit = uuid.first().where(uuid.nunique() == 1, "")
    return e.assign(
        whole=whole.reindex(e.index, fill_value=True),
        predicted=False,
        unit=unit.reindex(e.index, fill_value=""),
        part=part_of(side.results.rows.loc[e.index]),
    )


def predict(results: Results, rows: np.ndarray, measured: Results) -> pd.DataFrame:
    """Estimates of predicted rows. Their error is common to a family, beside the interval of the profile: the root mean
    square of the logarithm of measured over predicted time on the other side's points, if it has any."""
    own = frame(measured, devices=())  # with what the model predicts of their own device
    own = own[(texts(own, "backend") != "predicted") & knows_addresses(own) & ~is_transient(own)]
    off = np.log(own["time_median"] / own["predicted_time"])
    squares = (off[np.isfinite(off)] ** 2).groupby(own["kernel"]).agg(["mean", "size"])
    chosen = results.rows.iloc[rows]
    family = squares.reindex(chosen["kernel"])
    # The interval of the file has the model's error in it, which is measured here.
    device = results.devices.iloc[0]
    error = errors(chosen, str(device["name"]), device["capability"]).fillna(1)
    factor = chosen["predicted_time_high"] / chosen["predicted_time_low"] / error**2
    half = (np.log(factor).clip(lower=0) / 2 / 1.96).to_numpy()
    e = none(rows).assign(
        log_seconds=np.log(chosen["predicted_time"]).to_numpy(),
        common=family["mean"].to_numpy(),
        common_dof=family["size"].fillna(1).to_numpy(float),
        own=np.where(np.isfinite(half), half**2, 0),
        own_dof=np.inf,
        prior=0.0,
        prior_dof=0.0,
        between=0.0,
        between_dof=np.inf,
        units=1,
        kind="device",
        top="process",
        basis="pooled",
    )
    e["seconds"] = np.exp(e["log_seconds"])
    good = (texts(chosen, "status") == "ok").to_numpy()
    lost = ~good | ~knows_addresses(chosen).to_numpy()
    return pd.concat([e[~lost], none(rows[lost])]).loc[rows].assign(predicted=good)


def of_files(
    a: Estimator, b: Estimator, rows_a: np.ndarray, rows_b: np.ndarray, names: tuple[str, str]
) -> Comparison:
    """The points of two files, or of what some of their devices measured; rows: positions in the files' rows."""
    files = a.results, b.results
    partner = partners(
        files[0].rows.iloc[rows_a], files[1].rows.iloc[rows_b], files[0].columns, files[1].columns
    )
    only_b = np.delete(rows_b, partner[partner >= 0])
    pairs = pd.DataFrame(
        {
            "section": 0,
            "a": np.append(rows_a, np.full(len(only_b), -1)),
            "b": np.append(np.append(rows_b, -1)[partner], only_b),
        }
    ).astype(int)
    first, second = (
        file.rows["kernel"].reindex(pairs[side]).set_axis(pairs.index)
        for file, side in zip(files, "ab")
    )
    pairs["kernel"] = first.fillna(second)
    sides, devices = [], list[set[int]]()
    for name, one, rows, other in (("a", a, rows_a, b), ("b", b, rows_b, a)):
        guess = (texts(one.results.rows, "backend") == "predicted").to_numpy()[rows]
        settled = bool((texts(other.results.rows, "backend") == "predicted").any())
        e = entries(one, rows[~guess], other, settled)
        if guess.any():
            e = pd.concat([e, predict(one.results, rows[guess], other.results)])
        e = aligned(e, pairs[name].to_numpy())
        sides.append(e)
        devices.append(
            set(range(len(one.results.devices)))
            if e["predicted"].any()  # a prediction is for one device
            else set(one.cells["device"][one.cells["row"].isin(rows)])
        )
    return Comparison(files, [names], pairs, sides[0], sides[1], devices=(devices[0], devices[1]))


def by_columns(results: Results, rows: np.ndarray, by: str, baseline: str | None) -> Comparison:
    """The points of one file that differ only in `by`: axes with commas between, or "device". Each value of a kernel is
    compared with `baseline`; None: with its first word in order, smallest number or first device."""
    names, of_devices = by.split(","), by == "device"
    for name in names:
        if name not in results.columns.axes() and not of_devices:
            column(frame(results, predicted=False), name)
            raise UsageError(
                f"--by {by}: {name} is not an axis; try arch or variant, or device alone"
            )
    members, entry = _by_device(results, rows) if of_devices else _by_axes(results, rows, names)
    if baseline is not None and len(members) and baseline not in set(members["value"]):
        raise unknown(
            f"value of {by} among the measured points:", baseline, members["value"].unique()
        )
    first = members.groupby("kernel")["value"].transform("first")
    base = members["value"] == (first if baseline is None else baseline)
    bases = members[base].drop_duplicates(["kernel", "point"], keep="last")
    # merge of pandas 1.5 does not keep it
    others = members[~base].assign(order=np.arange((~base).sum()))
    pairs = others.merge(bases, on=["kernel", "point"], suffixes=("_b", "_a")).sort_values(
        "order", ignore_index=True
    )
    if not len(pairs):
        raise UsageError(
            f"no two points differ only in {by}"
            + (f", one of them with {baseline}" if baseline else "")
        )
    values = list(zip(pairs["value_a"], pairs["value_b"]))
    found = pd.DataFrame(
        {
            "kernel": pairs["kernel"],
            "section": pd.factorize(pd.Series(values))[0],
            "a": pairs["row_a"],
            "b": pairs["row_b"],
        }
    )
    sides = [entry.loc[pairs[f"at_{side}"]].reset_index(drop=True) for side in "ab"]
    taken = cells(results)
    used = set(taken["device"][taken["row"].isin(rows)])
    if of_devices:
        used &= set(map(int, sum(values, ())))
    return Comparison(
        (results, results),
        list(dict.fromkeys(values)),
        found,
        sides[0],
        sides[1],
        by=by,
        devices=(used, used),
    )


def _by_axes(
    results: Results, rows: np.ndarray, names: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that have all columns: row, kernel, point, value, at; and the estimates that `at` names."""
    columns, chosen = results.columns, results.rows.iloc[rows]
    chosen = chosen[(chosen[names].notna() & (chosen[names] != "")).all(axis=1)]
    places = {
        name: {
            word: place
            for place, word in enumerate(words_in_order(set(chosen[name]), columns.get(name)))
        }
        for name in names
        if is_text(chosen[name])
    }
    order = chosen[names].replace(places).add_prefix("place ")
    value = [
        ",".join(human(cell, columns[name]) for name, cell in zip(names, cells))
        for cells in chosen[names].itertuples(index=False)
    ]
    members = order.assign(
        row=chosen.index,
        kernel=chosen["kernel"],
        value=value,
        at=chosen.index,
        point=point_keys(chosen, [name for name in columns.axes() if name not in names]),
    )
    return (
        members.sort_values(["kernel", *order, "value", "row"], kind="stable"),
        entries(of_file(results), chosen.index.to_numpy()),
    )


def _by_device(results: Results, rows: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The same, for each device of a row's samples."""
    chosen, taken = results.rows.iloc[rows], cells_of(results, rows, range(len(results.devices)))
    members = taken[["row", "device"]].drop_duplicates()
    members = members.assign(
        value=members["device"].astype(str), at=list(zip(members["device"], members["row"]))
    )
    point = point_keys(chosen, results.columns.axes())
    members = members.join(
        pd.DataFrame({"kernel": chosen["kernel"], "point": point}, chosen.index), on="row"
    )
    parts = {
        device: entries(Estimator(results, [device]), group["row"].to_numpy())
        for device, group in members.groupby("device", sort=False)
    }
    return members.sort_values(["kernel", "device", "point", "row"], kind="stable"), pd.concat(
        parts
    )


def paired_axis(results: Results) -> tuple[str, list[str]] | None:
    """The axis in which pairs of a paired run differ, and its two values in words; None: no pairs."""
    axis, *versions = (results.env("pairs") or "").split()[:3] or [""]
    if len(versions) < 2 or axis not in results.rows:
        return None
    column = results.columns[axis]
    return axis, [human(word if column.type == "text" else int(word), column) for word in versions]


def of_pairs(results: Results, rows: np.ndarray, baseline: str | None) -> Comparison:
    """Two versions whose points were timed together. `baseline`: the version to compare with; None: the first.

    The ratio of each process counts as a time: the estimate of a, times the ratio, so that the pooling knows how long the point
    takes. Of several processes the scatter of their ratios is the whole variance: what their samples say overstates it."""
    axis, versions = paired_axis(results) or ("", [])
    if baseline is not None and baseline not in versions:
        raise unknown("version", baseline, versions)
    value = results.rows.iloc[rows][axis].map(lambda one: human(one, results.columns[axis]))
    c = by_columns(results, rows[value.isin(versions)], axis, baseline or versions[0])
    pairs, a, file = c.pairs, c.a, of_file(results)
    together = (
        (a["basis"] != "none")
        & (c.b["basis"] != "none")
        & (
            c.texts(0, "paired_with")
            == results.rows["id"].reindex(pairs["b"]).set_axis(pairs.index)
        )
    )
    processes = pd.DataFrame(
        [
            one
            for pair in pairs.index[together]
            for one in _processes(file, pair, pairs.loc[pair, ["a", "b"]], baseline == versions[1])
        ],
        columns=["pair", "device", "process", "log_ratio", "variance", "dof", "order", "quotients"],
    )
    alone = (
        estimates(file.units[file.units["row"].isin(pairs["a"])], None)["log_seconds"]
        .reindex(pairs["a"])
        .to_numpy()
    )
    several = processes.groupby("pair")["pair"].transform("size") > 1
    at = processes["pair"].to_numpy(int)
    its = units(
        processes.assign(
            row=at,
            kind=a["kind"].to_numpy()[at],
            moved=0.0,
            samples=processes["quotients"],
            log_median=alone[at] + processes["log_ratio"],
            variance=processes["variance"].where(~several, 0),
        )
    )
    found = estimates(its, pooling(its)) if len(its) else none([])
    empty = ~pairs.index.isin(found.index)
    b = (
        pd.concat([found, none(pairs.index[empty])])
        .reindex(pairs.index)
        .assign(**a[["whole", "predicted", "unit"]])
    )
    log_a = np.where(empty, np.nan, alone)
    c.a = b.assign(
        log_seconds=log_a,
        seconds=np.exp(log_a),
        medians=[np.zeros(len(medians)) for medians in b["medians"]],
        **dict.fromkeys(["common", "own", "prior", "between"], np.where(empty, np.nan, 0.0)),
    )
    c.b, c.paired = b, True
    _explain_pairs(c, processes)
    return c


def _processes(
    file: Estimator, pair: int, rows: pd.Series, swapped: bool
) -> list[dict[str, float]]:
    """What each process tells that took as many samples of either version; in every other one B comes first."""
    sides = []
    for begin, count in file.results.rows.loc[rows, ["sample_offset", "sample_count"]].to_numpy(
        int
    ):
        taken = file.results.samples.iloc[begin : begin + count].fillna(
            {"device": -1, "process": -1}
        )
        sides.append(
            {key: of.to_numpy() for key, of in taken.groupby(["device", "process"])["seconds"]}
        )
    found = []
    for (device, process), seconds in sides[0].items():
        turn = sum(d == device and p < process for d, p in sides[0]) + swapped
        other = sides[1].get((device, process), ())
        if len(other) == len(seconds) >= 2:
            found.append(
                {
                    "pair": pair,
                    "device": device,
                    "process": process,
                    **paired(seconds, other, bool(turn % 2)),
                }
            )
    return found


def _explain_pairs(comparison: Comparison, processes: pd.DataFrame) -> None:
    """The effect of order, and the pairs without a verdict."""
    say = comparison.assumed.append
    say(
        "Both versions were timed in the same processes, alternately. Intervals are of the differences between processes."
    )
    alone = int((comparison.b["basis"] == "within").sum())
    if alone:
        say(
            f"One process measured {alone} of {len(comparison.pairs)} pairs: how processes differ is unknown, and these "
            "pairs are uncertain."
        )
    if len(processes):
        order = processes.groupby(["device", "process"])["order"].mean()
        half = float(critical(0.05, len(order) - 1)) * order.sem()
        interval = f" (95 % interval +-{100 * half:.3f} %)" if half > 0 else ""
        say(
            "Effect of coming second in a couple of samples, which cancels in every quadruple A B B A: "
            f"{100 * np.expm1(order.mean()):+.3f} %{interval}."
        )
    status = [comparison.texts(side, "status") for side in (0, 1)]
    without = (comparison.b["basis"] == "none") & ~comparison.above
    good = (status[0] == "ok") & (status[1] == "ok")
    apart, bad = int((without & good).sum()), without & ~good
    if apart:
        say(
            f"{plural(apart, 'pair')} without a verdict: the versions were not timed together; see the column message."
        )
    if bad.any():
        first, names = bad.idxmax(), comparison.sections[0]
        say(
            f"{plural(bad.sum(), 'pair')} without a verdict: one version has no time ({names[0]}: {status[0][first]}, "
            f"{names[1]}: {status[1][first]})."
        )
