"""The command ``table``: rows and columns of one results file, and its best points."""

from __future__ import annotations

import pandas as pd

from . import pivots, selecting
from .errors import UsageError, whole
from .options import Arguments
from .rows import candidates, with_description


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    top, per = arguments.text("top"), arguments.text("per")
    if per and not top:
        raise UsageError("--per needs --top")
    count = top and whole("--top", top, 1)
    rows, style = pivots.select(arguments), pivots.style_of(arguments)
    # Columns are chosen from all rows: no axis varies of one best point, and each tells which it is.
    names = pivots.choose_columns(rows, arguments.text("columns"))
    if count:
        rows = best(rows, per.strip(",").split(",") if per else [], count)
    else:
        rows = pivots.by_axes(rows, names)
    rows = pivots.in_order(arguments, rows, "point that can be the best" if count else "row")
    pivots.write(rows, style, names)
    return 0


def best(rows: pd.DataFrame, per: list[str], count: int) -> pd.DataFrame:
    """The best points of each kernel, best first, of each group of comparable ones (see `rows.described`) and of each value
    of the columns ``per``, with the columns of `rows.with_description`."""
    for name in per:
        selecting.column(rows, name)
    rows = with_description(rows)
    rows = rows[candidates(rows, list(dict.fromkeys(["kernel", *per])))]
    rows = rows.sort_values(".rank", ascending=False, kind="stable")
    rows = rows.sort_values(["kernel", ".group"], kind="stable")
    return rows.groupby(["kernel", ".group", *per], sort=False, dropna=False).head(count)
