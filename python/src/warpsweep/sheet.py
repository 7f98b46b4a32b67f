"""A small table in memory, and its writers: aligned text, Markdown and LaTeX (booktabs). A number has as many
digits as half the width of its interval allows, without an interval four."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TextIO, Union

import pandas as pd

from . import units
from .latex import latex
from .rows import MARKS

MD = {**{sign: "\\" + sign for sign in "|\\`*_<>[]"}, "\n": " ", "\r": " ", "\t": " "}


def md(text: str) -> str:
    """For Markdown, in one line. An underscore within a word is only itself, and is read by people too."""
    escaped = "".join(MD.get(sign, sign) for sign in text)
    return re.sub(r"(?<=\w)\\_(?=\w)", "_", escaped)


# "terminal": Markdown as people read it, who would take the escapes for parts of names.
ESCAPES: dict[str, Callable[[str], str]] = {
    "md": md,
    "terminal": lambda text: " ".join(text.split()),
    "latex": latex,
}


@dataclass
class Head:
    """``kind``: words, right (words to the right), wraps (words over several lines), number, count."""

    name: str
    kind: str = "words"
    unit: str = ""

    @property
    def is_right(self) -> bool:
        return self.kind in ("right", "number", "count")


@dataclass
class Number:
    """A value in the head's unit, with half of its interval's width (NaN: none), and what marks it: a dagger throttled points."""

    value: float
    half: float = math.nan
    mark: str = ""


Cell = Union[str, Number, float, int, None]


@dataclass
class Sheet:
    """``name`` is that of its file and anchor; ``wide``: both columns of a paper; ``indent``: spaces before each line of text."""

    name: str = ""
    caption: str = ""
    wide: bool = False
    indent: int = 0
    heads: list[Head] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        columns: Iterable[tuple[Head, Iterable[Cell]]],
        name: str = "",
        caption: str = "",
        wide: bool = False,
    ) -> Sheet:
        """A table of columns: a head and its cells."""
        heads, cells = zip(*columns)
        sheet = cls(name, caption, wide, heads=list(heads))
        for row in zip(*cells):
            sheet.row(*row)
        return sheet

    def row(self, *cells: Cell) -> None:
        """A further row; numbers are in the unit of their head. None or NaN: missing."""
        assert len(cells) == len(self.heads)
        self.rows.append([Number(cell) if isinstance(cell, float) else cell for cell in cells])

    @property
    def full_caption(self) -> str:
        """The caption, and what the signs mean."""
        signs = {
            s for row in self.rows for cell in row if isinstance(cell, Number) for s in cell.mark
        }
        said = [f"{sign}: {meaning}." for sign, meaning in MARKS.items() if sign in signs]
        return " ".join([self.caption, *said])


def texts(heads: Iterable[str], rows: Iterable[Iterable[Cell]], indent: int = 0) -> Sheet:
    """A table of texts; heads that begin with ">" are of columns to the right."""
    sheet = Sheet(
        indent=indent,
        heads=[
            Head(head.lstrip(">"), "right" if head.startswith(">") else "words") for head in heads
        ],
    )
    for row in rows:
        sheet.row(*row)
    return sheet


def shown(head: Head, cell: Cell) -> str:
    """A cell as people read it: ``4293 ± 7``; a dash where it is missing."""
    if cell is None or isinstance(cell, Number) and not math.isfinite(cell.value):
        return "—"
    if isinstance(cell, Number):
        return (
            f"{cell.value:.0f}" if head.kind == "count" else units.format(cell.value, cell.half)
        ) + cell.mark
    return str(cell)


def render(sheet: Sheet, markup: str = "text", *, alone: bool = False) -> str:
    """The table as text, md, terminal or latex. ``alone``: LaTeX with what it needs."""
    if markup == "latex":
        return _latex(sheet, alone)
    return _text(sheet) if markup == "text" else _md(sheet, ESCAPES[markup])


def print_sheet(sheet: Sheet, markup: str = "text") -> None:
    """Write ``render`` to stdout; LaTeX stands alone."""
    sys.stdout.write(render(sheet, markup, alone=True))


def _text(sheet: Sheet) -> str:
    table, names = (
        [[*map(shown, sheet.heads, row)] for row in sheet.rows],
        [head.name for head in sheet.heads],
    )
    table = [names, *table] if any(names) else table
    widths = [max(map(len, column)) for column in zip(names, *table)]
    lines = [
        "  ".join(
            cell.rjust(width) if head.is_right else cell.ljust(width)
            for cell, width, head in zip(cells, widths, sheet.heads)
        )
        for cells in table
    ]
    return "".join(
        " " * sheet.indent + (line if sheet.heads[-1].is_right else line.rstrip()) + "\n"
        for line in lines
    )


def _md(sheet: Sheet, escape: Callable[[str], str]) -> str:
    names, *rows = [
        [head.name for head in sheet.heads],
        *(map(shown, sheet.heads, row) for row in sheet.rows),
    ]
    lines = ["| " + " | ".join(map(escape, cells)) + " |\n" for cells in (names, *rows)]
    return (
        lines[0]
        + "".join("|---:" if head.is_right else "|---" for head in sheet.heads)
        + "|\n"
        + "".join(lines[1:])
    )


def _latex(sheet: Sheet, alone: bool) -> str:
    wraps = any(head.kind == "wraps" for head in sheet.heads)
    kind, width, packages = (
        ("tabularx", r"{\linewidth}", "array,booktabs,tabularx")
        if wraps
        else ("tabular", "", "booktabs")
    )
    heads = [[head.name for head in sheet.heads]]
    if any(head.unit for head in sheet.heads):
        heads.append([f"({units.symbol(head.unit)})" if head.unit else "" for head in sheet.heads])
    first, rest = (
        [" & ".join(map(latex, cells)) + r" \\" for cells in rows]
        for rows in (heads, [map(shown, sheet.heads, row) for row in sheet.rows])
    )
    aligned = {"wraps": r">{\raggedright\arraybackslash\hangindent=0.8em}X"}
    columns = "".join(aligned.get(head.kind, "r" if head.is_right else "l") for head in sheet.heads)
    table = "\n".join(
        [
            f"\\begin{{{kind}}}{width}{{@{{}}{columns}@{{}}}}",
            r"\toprule",
            *first,
            r"\midrule",
            *rest,
            r"\bottomrule",
            f"\\end{{{kind}}}\n",
        ]
    )
    return f"% needs \\usepackage{{{packages}}}\n{table}" if alone else table


class Document:
    """Headings, paragraphs, lists and tables in Markdown or LaTeX."""

    def __init__(self, markup: str = "md", out: TextIO | None = None) -> None:
        self.out = out or sys.stdout
        self.markup = "terminal" if markup == "md" and self.out.isatty() else markup

    def heading(self, level: int, text: str) -> None:
        """Level 1 to 3."""
        before, after = (
            ("#" * level + " ", "")
            if self.markup != "latex"
            else (f"\\{'sub' * (level - 1)}section*{{", "}")
        )
        self.out.write(before + ESCAPES[self.markup](text) + after + "\n\n")

    def paragraph(self, text: str) -> None:
        self.out.write(ESCAPES[self.markup](text) + "\n\n")

    def items(self, texts: Iterable[str]) -> None:
        """A list."""
        begin, item, end = (
            ("", "- ", "")
            if self.markup != "latex"
            else ("\\begin{itemize}\n", "\\item ", "\\end{itemize}\n")
        )
        self.out.write(
            begin + "".join(f"{item}{ESCAPES[self.markup](text)}\n" for text in texts) + end + "\n"
        )

    def texts(self, heads: Iterable[str], rows: Iterable[Iterable[Cell]]) -> None:
        """A table of texts, as `texts` has them."""
        self.sheet(texts(heads, rows))

    def sheet(self, table: Sheet) -> None:
        self.out.write(render(table, self.markup) + "\n")

    def frame(self, rows: Any) -> None:
        """A table of texts: a DataFrame, or dicts by head; nothing where there is no row."""
        table = pd.DataFrame(rows)
        if len(table):
            self.texts(table, table.to_numpy())
