"""Differences of two results files, two versions or the values of a column, with verdicts: by point and by family."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import comparison as of
from . import running
from .assumptions import check, judge
from .columns import Column, Columns, is_text
from .comparison import Comparison, of_pairs, paired_axis
from .condition import is_lowered
from .errors import UsageError
from .estimates import of_file
from .results import Results
from .selecting import sort
from .stored import printable
from .values import human
from .verdicts import ENDS, VERDICTS, detectable, group

OF_CYCLES = ["cycles_ratio", "cycles_low", "cycles_high"]
CLOCK = 2e9  # Hz, for all devices


def prepare(
    a: Any,
    b: Any = None,
    *,
    by: str | None = None,
    baseline: str | None = None,
    kernel: str | None = None,
    where: Sequence[str] = (),
    threshold: float | None = None,
    limit: float | None = None,
    mixed: bool = False,
    cycles: bool = True,
) -> Comparison:
    """The comparison that ``compare`` tells of. a, b: paths or Results. limit: the standard threshold is not above it. cycles:
    if a clock was lowered, the same of cycles."""
    files = of.opened((a, b) if b is not None else (a,), where)
    rows, names = (
        [of.selected(file, kernel, where) for file in files],
        [printable(file.path) for file in files],
    )
    axis = paired_axis(files[0]) if len(files) == 1 else None
    if len(files) == 2 and (by or baseline):
        raise UsageError(
            "--by takes one file, not two"
            if by
            else "--baseline needs --by, or one file of a paired run"
        )
    if len(files) == 1 and not axis and not by:
        raise UsageError(
            "compare needs A.h5 B.h5, or one file of a paired run, or one file with --by COLUMN"
        )

    def built(files: list[Results]) -> Comparison:
        if len(files) == 2:
            return of.of_files(
                of_file(files[0]), of_file(files[1]), rows[0], rows[1], (names[0], names[1])
            )
        if axis and by in (None, axis[0]):
            return of_pairs(files[0], rows[0], baseline)
        return of.by_columns(files[0], rows[0], str(by), baseline)

    c = judge(check(built(files), mixed), threshold, limit)
    if cycles and not c.paired and _slowed(c).any():
        c.cycles = judge(built([_at_one_clock(file) for file in files]), threshold, limit)
    return c


def _slowed(c: Comparison) -> pd.Series[bool]:
    """The measured pairs whose clock was lowered on either side."""
    sides = [
        is_lowered(file.rows).reindex(c.pairs[side], fill_value=False).to_numpy()
        for file, side in zip(c.files, "ab")
    ]
    return c.on_both & ~(c.a["predicted"] | c.b["predicted"]) & (sides[0] | sides[1])


def _at_one_clock(results: Results) -> Results:
    """The file with the times that the cycles of its samples take at one clock."""
    made = copy.copy(results)
    cycles = results.samples["seconds"] * results.samples["sm_clock"].fillna(CLOCK)
    made.samples = results.samples.assign(seconds=cycles / CLOCK)
    made.cells = made.estimator = None
    return made


def _with_columns(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """The table with ``attrs["columns"]``."""

    def described(name: str) -> Column:
        if columns.role(name) == "axis":
            return columns[name]
        kind = "integer" if name.startswith("points") else "real"
        kind = "text" if is_text(table[name]) else kind
        return Column(name, kind, "other", "s" if name.startswith("time") else "", "")

    table.attrs["columns"] = Columns({name: described(name) for name in table})
    return table


def point_table(c: Comparison, taken: Sequence[str] = ()) -> pd.DataFrame:
    """A row for each pair, by kernel and axes: with `by` the values a and b; kernel, the axes that vary, times in
    seconds, ratio with its 95 % interval, shares of the roofs, verdict. An axis that is called as another column, or is
    ``taken``, has a dot before its name."""
    about = c.pairs[["kernel"]]
    if c.by:
        both = (
            pd.DataFrame(c.sections, columns=["a", "b"])
            .loc[c.pairs["section"]]
            .set_axis(about.index)
        )
        about = pd.concat([both, about], axis=1)
    names = [name for name in c.columns.axes() if name not in c.by.split(",")]
    a, b = (
        file.rows.reindex(columns=names).reindex(c.pairs[side]).set_axis(about.index)
        for file, side in zip(c.files, "ab")
    )
    used = pd.concat([a, b])
    names = [name for name in names if used.loc[used[name] != "", name].nunique() > 1]
    axes = a[names].where(c.pairs["a"] >= 0, b[names])
    words = [name for name in names if c.columns[name].type == "text"]
    axes = axes.fillna(dict.fromkeys(words, "")).astype(
        dict.fromkeys(set(names) - set(words), float)
    )
    own = {
        "time_a": c.a["seconds"],
        "time_b": c.b["seconds"],
        "ratio": c.ratios["ratio"],
        "ratio_low": c.ratios["low"],
        "ratio_high": c.ratios["high"],
        "share_a": c.shares(0),
        "share_b": c.shares(1),
        "verdict": np.select(
            [c.pairs["b"] < 0, c.pairs["a"] < 0], ["only in A", "only in B"], c.ratios["verdict"]
        ),
    }
    if c.cycles:
        cycles = c.cycles.ratios[["ratio", "low", "high"]].where(_slowed(c))
        own.update(cycles.set_axis(OF_CYCLES, axis=1))
    apart = {name: f".{name}" for name in names if name in {*own, *OF_CYCLES, *taken, "a", "b"}}
    parts = [about, axes.rename(columns=apart), pd.DataFrame(own, about.index)]
    table = pd.concat(parts, axis=1)
    return sort(table, ["kernel", *(apart.get(name, name) for name in names)])


def public(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """A table of points for its readers: axes have their names, and a column that is called the same has the dot."""
    names = {name: name[1:] for name in table if name.startswith(".")}
    names.update({name: dotted for dotted, name in names.items()})
    return _with_columns(table.rename(columns=names), columns)


def family_table(c: Comparison) -> pd.DataFrame:
    """A row for each family of a section by name, then one of "all" if there are several: geometric means and counts of
    verdicts."""
    about = c.pairs.assign(
        verdict=c.ratios["verdict"].where(c.on_both), share_a=c.shares(0), share_b=c.shares(1)
    )
    ran = running.of_points(c) if not c.by else pd.DataFrame({"code": ""}, about.index)
    rows, slowed = [], about.index[_slowed(c)] if c.cycles else []
    for section, mine in about.groupby("section"):
        names = dict(zip("ab", c.sections[section]))
        families = [*mine.groupby("kernel"), ("all", mine)]
        for kernel, points in families if len(families) != 2 else families[:1]:
            mean = group(c.rule, c.a.loc[points.index], c.b.loc[points.index], c.scatter)
            counts = points["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
            shares = points.loc[c.on_both[points.index], ["share_a", "share_b"]]
            cycles: Any = ()
            # All points, as those of the ratio of times.
            if c.cycles and points.index.isin(slowed).any():
                cycles = group(c.rule, c.cycles.a.loc[points.index], c.cycles.b.loc[points.index])[
                    ["ratio", "repetition_low", "repetition_high"]
                ]
            rows.append(
                {
                    **names,
                    "kernel": kernel,
                    "ratio": mean["ratio"],
                    "ratio_low": mean["low"],
                    "ratio_high": mean["high"],
                    **mean[ENDS],
                    "verdict": mean["verdict"],
                    "code": running.of_family(
                        ran.loc[points.index[c.on_both[points.index]], "code"]
                    ),
                    **counts.rename(lambda name: f"points_{name.replace(' ', '_')}"),
                    "points_only_a": (points["b"] < 0).sum(),
                    "points_only_b": (points["a"] < 0).sum(),
                    **np.exp(np.log(shares[(shares > 0).all(axis=1)]).mean()),
                    "detectable": detectable(c.rule, c.ratios.loc[points.index]),
                    **dict(zip(OF_CYCLES, cycles)),
                }
            )
    return _with_columns(pd.DataFrame(rows), c.columns)


def describe(row: pd.Series, columns: Any) -> str:
    """``copy: size 64MiB, stride 2``: the kernel and the axes of a row of a point table."""
    names = [
        n
        for n in row.index[list(row.index).index("kernel") + 1 : list(row.index).index("time_a")]
        if row[n] == row[n] and row[n] != ""
    ]
    values = [f"{name.lstrip('.')} {human(row[name], columns[name.lstrip('.')])}" for name in names]
    return ": ".join(filter(None, [row["kernel"], ", ".join(values)]))


def compare(
    a: Any,
    b: Any = None,
    *,
    by: str | None = None,
    baseline: str | None = None,
    points: bool = True,
    kernel: str | None = None,
    where: Sequence[str] = (),
    threshold: float | None = None,
    mixed: bool = False,
) -> pd.DataFrame:
    """B against A: a row a point, or with ``points=False`` a row a family.

    a, b          paths, or what ``read`` returned
    by, baseline  in one file: the values of a column against one of them
    where         conditions as ``--where`` takes them, such as "dtype=f32" or "stride<=8"
    threshold     the smallest difference that matters, as a share: 0.01
    mixed         compare times that do not mean the same, all the same

    ``verdict`` is a category, times are in seconds, ``ratio`` is that of B's time to A's, ``ratio_low`` to ``ratio_high``
    its 95 % interval. ``attrs["assumed"]`` has what the verdicts assume. UsageError if the times are not comparable.
    """
    c = prepare(
        a,
        b,
        by=by,
        baseline=baseline,
        kernel=kernel,
        where=[where] if isinstance(where, str) else where,
        threshold=threshold,
        mixed=mixed,
    )
    table = point_table(c).reset_index(drop=True) if points else family_table(c)
    for name in ("kernel", "verdict"):
        table[name] = table[name].astype("category")
    table = public(table, c.columns) if points else table
    table.attrs["assumed"] = c.assumed
    return table


def families(a: Any, b: Any = None, **options: Any) -> pd.DataFrame:
    """``compare`` with a row a family."""
    return compare(a, b, points=False, **options)
