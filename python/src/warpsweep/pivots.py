"""The command ``pivot``: rows or a pivot of files as text, Markdown, LaTeX, or plain values."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from . import frames, selecting, units
from .columns import Column, Columns, is_text, reals
from .condition import is_lowered, lowered, unsettled
from .errors import UsageError, whole
from .latex import DAGGER, latex
from .options import Arguments
from .rows import (
    DESCRIBED,
    MARKS,
    QUANTITIES,
    interval,
    is_disproved,
    is_predicted,
    marks,
    quantities,
    units_of,
)
from .sheet import Head, Number, Sheet, print_sheet
from .values import heading, human

PORTION = 20_000  # rows whose lines are in memory at a time
REMARKS = ("energy", "energy_per_bit", "throttle", "sm_clock", "l2_state")  # of `remarks`


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    rows, style = select(arguments), style_of(arguments)
    if arguments.text("parts"):
        if arguments.given("columns"):
            raise UsageError("--columns and --parts are two tables; give one of them")
        rows, names = pivot(rows, str(arguments.text("parts")), style in ("text", "md", "latex"))
    else:
        names = choose_columns(rows, arguments.text("columns"))
        rows = by_axes(rows, names)
    write(in_order(arguments, rows), style, names)
    return 0


def style_of(arguments: Arguments) -> str:
    """--format; on a terminal a table for people, else plain values."""
    return str(arguments.text("format") or ("text" if sys.stdout.isatty() else "tsv"))


def select(arguments: Arguments) -> Any:
    """The rows of the files that --kernel, --where and --canaries ask for, with the columns of --derive."""
    rows = frames.frame(
        arguments.operands, canaries=arguments.given("canaries"), columns=_needed(arguments)
    )
    for definition in arguments.each("derive"):
        rows = selecting.derive(rows, definition)
    return selecting.where(
        selecting.kernel(rows, arguments.text("kernel")), arguments.each("where")
    )


def _needed(arguments: Arguments) -> set[str] | None:
    """The columns that options name, and those that are shown by themselves; None: all."""
    if arguments.text("columns") == "all":
        return None
    told = selecting.may_name(value for _, value in arguments.values)
    return {*DESCRIBED, *REMARKS, *told}


def by_axes(rows: Any, names: Sequence[str]) -> Any:
    """In the order of the axes that are shown: a file has its points in the order of measurement, which is random."""
    return selecting.sort(
        rows, [name for name in names if selecting.column(rows, name).role == "axis"] or ["kernel"]
    )


def in_order(arguments: Arguments, rows: Any, what: str = "row") -> Any:
    """By --sort, and as many as --limit; a line on stderr if there is none."""
    if not len(rows):
        asked = arguments.text("kernel") or arguments.each("where")
        why = " meets the conditions" if asked else ""
        print(f"warpsweep: {', '.join(arguments.operands)}: no {what}{why}", file=sys.stderr)
    if arguments.text("sort"):
        rows = selecting.sort(rows, str(arguments.text("sort")).split(","))
    if arguments.text("limit") is not None:
        rows = rows.head(whole("--limit", str(arguments.text("limit"))))
    return rows


def choose_columns(rows: Any, given: str | None) -> list[str]:
    """The columns named, or the kernel, the axes that vary, the status and the main results."""
    if given == "all":
        return [
            name
            for name in rows
            if name in rows.attrs["columns"] and not name.startswith("device.")
        ]
    if given:
        names = given.strip(",").split(",")
        if not all(names):
            raise UsageError(f"--columns '{given[:60]}': a name is missing between commas")
        for name in names:
            selecting.column(rows, name)
        for name in (name for name in names if names.count(name) > 1):
            raise UsageError(f"--columns '{given[:60]}': {name} is given twice")
        return names
    several = (
        [selecting.typed(rows.attrs["columns"], ".file")]
        if rows[".file_number"].nunique() > 1
        else []
    )
    names = [*several, "kernel", *selecting.axes(rows), "status", "time_median", *headline(rows)]
    return [name for name in (*names, "fraction_peak", *remarks(rows)) if name in rows]


def headline(rows: Any) -> list[str]:
    """The columns of what the rows measure, beside their time."""
    measured = {QUANTITIES[name].column for name in quantities(rows).unique()} - {"time_median"}
    if not measured or (reals(rows, "bandwidth") > 0).any():
        measured.add("bandwidth")
    return [
        name
        for of in sorted(measured)
        for name in (of, f"{of}_low", f"{of}_high")
        if name == of or of == "bandwidth"
    ]


def remarks(rows: Any) -> list[str]:
    """Columns of what some rows have to say, and most files do not."""
    found = {
        ("energy", "energy_per_bit"): reals(rows, "energy").notna(),
        ("throttle", "sm_clock"): is_lowered(rows),
        ("l2_state",): is_disproved(rows),
        ("backend",): is_predicted(rows),
    }
    return [name for names, holds in found.items() if holds.any() for name in names]


def interval_of(rows: Any, name: str) -> tuple[str, str] | None:
    """The columns of the ends of a column's 95 % interval."""
    ends = (
        ("time_ci_low", "time_ci_high")
        if name == "time_median"
        else (f"{name}_low", f"{name}_high")
    )
    known = rows.attrs["columns"]
    return ends if all(end in rows and known.role(end) != "axis" for end in ends) else None


def pivot(rows: Any, parts: str, people: bool) -> tuple[Any, list[str]]:
    """A row for each value of one column, a column for each of another: the table and the columns to show. NAME_low and
    NAME_high are the interval of each, which people read at the value. UsageError: what rows of one cell differ in."""
    told = dict(part.partition("=")[::2] for part in parts.split(","))
    if (
        set(told) != {"rows", "cols", "value"}
        or not all(told.values())
        or told["rows"] == told["cols"]
    ):
        raise UsageError(
            f"--parts '{parts[:80]}': expected rows=NAME,cols=NAME,value=NAME, rows and cols different"
        )
    side, top, value = (told[name] for name in ("rows", "cols", "value"))
    for name in (side, top, value):
        selecting.column(rows, name)
    before = len(rows)
    for name in (side, top):
        if selecting.column(rows, name).role == "axis":
            rows = rows[rows[name].notna() & (rows[name] != "")]
    if before and not len(rows):
        raise UsageError(f"no row has both {side} and {top}")
    if len(rows) < before:
        print(
            f"warpsweep: note: {before - len(rows)} of {before} rows lack an axis of --parts and are left out",
            file=sys.stderr,
        )
    # a point without a value hides none
    rows = rows[rows[value].notna()] if rows[value].notna().any() else rows
    _refuse_several(rows, side, top)
    known, shown = rows.attrs["columns"], selecting.column(rows, value)
    ends = interval_of(rows, value)
    if ends is None and (found := interval(rows, value)):
        ends = (".low", ".high")
        rows = rows.assign(**dict(zip(ends, found)))
    if ends and not (rows[ends[0]] < rows[ends[1]]).any():
        ends = None
    described, table = Columns({side: known.get(side, Column(side, "", "axis", "", ""))}), {}
    wide = rows.pivot(index=side, columns=top, values=[value, *(ends or ())])
    wide = wide.reindex(selecting.sort(rows, [side])[side].drop_duplicates())
    for at in selecting.sort(rows, [top])[top].drop_duplicates():
        name = f"{top}={human(at, known.get(top))}"
        if is_text(rows[top]) and str(at) != side:  # which is a column, too
            name = str(at)
        for source, end in zip([value, *(ends or ())], ("", "_low", "_high")):
            table[name + end] = wide[source, at]
            described[name + end] = replace(shown, name=name + end)
    made = pd.DataFrame(table, wide.index).reset_index()
    made.attrs = {**rows.attrs, "columns": described}
    return made, [
        name for name in made if not (people and ends and re.search("_(low|high)$", name))
    ]


def _refuse_several(rows: Any, side: str, top: str) -> None:
    """UsageError if a cell has several rows: what they differ in."""
    twice = rows[rows.duplicated([side, top], keep=False)]
    if len(twice):
        first = twice[(twice[[side, top]] == twice.iloc[0][[side, top]]).all(axis=1)]
        kernels = sorted(set(rows["kernel"]))
        if len(kernels) > 1 and "kernel" not in (side, top):
            some = ", ".join(kernels[:4]) + (" ..." if len(kernels) > 4 else "")
            raise UsageError(
                f"several rows for one {side} and {top}, of {len(kernels)} kernels ({some}); choose one with "
                "--kernel"
            )
        differ = [
            name
            for name in (
                selecting.typed(first.attrs["columns"], ".source"),
                "repeat",
                *selecting.axes(first),
            )
            if selecting.varies(first[name])
        ]
        raise UsageError(
            f"several rows of {first.iloc[0]['kernel']} for one {side} and {top}: they differ in "
            f"{', '.join(differ) or 'nothing that is swept'}; choose one with --where"
        )


def write(table: Any, style: str, names: Sequence[str] | None = None) -> None:
    """Some columns of a frame, or all: plain values in tsv, csv and json, else a table for people."""
    known, shown = table.attrs["columns"], table if names is None else table[names]
    if style not in ("tsv", "csv", "json"):
        print_people(table, list(shown), style)
        return
    shown = shown.astype(
        {name: "Int64" for name in shown if is_whole(shown[name], known.get(name))}
    )
    if style == "csv":
        shown.to_csv(sys.stdout, index=False, na_rep="nan", lineterminator="\n")
        return
    if style == "tsv":
        for at in range(0, max(1, len(shown)), PORTION):
            sys.stdout.write(tab_separated(shown.iloc[at : at + PORTION], heads=not at))
        return
    missing = shown.isna() | (shown == "") | shown.isin([math.inf, -math.inf])
    lines = [
        json.dumps(one, ensure_ascii=False)
        for one in shown.astype(object).mask(missing, None).to_dict("records")
    ]
    print("[" + ",".join("\n " + line for line in lines) + "\n]")


def tab_separated(shown: Any, heads: bool) -> str:
    """Lines for shells: texts have no quotation marks around them, and ``\\\\``, ``\\t`` and ``\\n`` for their
    backslashes, tabs and ends of lines."""
    signs = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n"})
    plain = shown.copy()
    for name in plain.columns[[is_text(plain[name]) for name in plain]]:
        plain[name] = plain[name].astype(str).str.translate(signs)
    # An empty last column, since csv cannot write a line without anything.
    text = plain.assign(**{"": ""}).to_csv(
        sep="\t",
        index=False,
        header=heads,
        na_rep="nan",
        lineterminator="\n",
        quoting=csv.QUOTE_NONE,
    )
    return text.replace("\t\n", "\n")


def is_whole(values: Any, column: Column | None) -> bool:
    """Whether a column holds whole numbers, which are printed without a decimal point."""
    if is_text(values) or not pd.api.types.is_float_dtype(values):
        return False
    if column and column.type == "integer":
        return True
    whole = values.abs().lt(2.0**53) & values.eq(values.round())
    return bool((whole | values.isna()).all())


def print_people(rows: Any, names: Sequence[str], style: str) -> None:
    """A table for people: every cell with its own unit, or in LaTeX a unit for each column. A dagger marks times and rates
    under a lowered clock, a double one predicted ones."""
    notes, known, columns = marks(rows), rows.attrs["columns"], []
    ends = {end for name in names for end in interval_of(rows, name) or ()}
    for name in (name for name in names if name not in ends):
        column = known.get(name, Column(name, "", "", "", ""))
        pair = interval(rows, name)
        halves = (pair[1] - pair[0]) / 2 if pair else pd.Series(math.nan, rows.index)
        timed = column.role in ("time", "rate") and column.type == "real"
        signs = notes if timed else pd.Series("", rows.index)
        of = units_of(rows, column)
        columns.append(
            _latex(rows[name], column, halves, signs, of)
            if style == "latex"
            else _text(rows[name], column, halves, signs, of, style == "text")
        )
    print_sheet(Sheet.of(columns), style)
    for sign, meaning in MARKS.items():
        if notes.str.contains(sign).any():
            text = f"{sign}: {lowered(rows) if sign == DAGGER else meaning}."
            falling = unsettled(rows) if sign == DAGGER else ""
            text += f" {falling}." if falling else ""
            print(r"\par\footnotesize " + latex(text) if style == "latex" else "\n" + text)


def _text(
    values: Any, column: Column, halves: Any, signs: Any, of: Any, percent: bool
) -> tuple[Head, list[Any]]:
    """The head and the cells of a column; ``of``: the unit of each; ``percent``: shares are."""
    cells = []
    for value, half, sign, unit in zip(values, halves, signs, of):
        text = human(value, column if unit == column.unit else replace(column, unit=unit), half)
        if percent and values.name.startswith("fraction_") and text != "—":
            text = (
                units.format(100 * value, 100 * half) if half > 0 else f"{100 * value:.1f}"
            ) + " %"
        cells.append(text + sign * (text != "—"))
    return Head(values.name, "words" if is_text(values) else "right"), cells


def _latex(values: Any, column: Column, halves: Any, signs: Any, of: Any) -> tuple[Head, list[Any]]:
    """The same for LaTeX: numbers are in the unit of the head."""
    name, real = heading(values.name), column.type == "real"
    if is_text(values):
        return Head(name, "words", column.unit), [value or None for value in values]
    if column.unit == "bytes" and not real:
        return Head(name, "right"), [
            units.bytes_text(value) if math.isfinite(value) else None for value in values
        ]
    unit, factor = units.common(of) or column.unit, 1.0
    if values.name.startswith("fraction_"):
        unit, factor = "%", 0.01
    elif real and (chosen := units.choose(unit, values.abs().median())):
        unit, factor = chosen.name, chosen.scale
    return Head(name, "number" if real else "count", unit), [
        Number(value / factor, half / factor, sign)
        for value, half, sign in zip(values, halves, signs)
    ]
