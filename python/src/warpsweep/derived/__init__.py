"""The computed tables of figures: what `#: table NAME` of a figure draws, instead of the files' own rows.

Each is a DataFrame that the ordinary directives apply to: a row per mark, with the columns that the figure names,
`kernel`, and in `source` the label of the device unless the rows compare files. ``attrs["remark"]`` is a text for
the caption, ``attrs["title"]`` replaces that of the figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from inspect import signature

import pandas as pd

from .. import kernels
from ..findings import axis_text
from ..frames import axes, is_text, reals, texts, varies
from ..results import Columns

# Name of a table: its module here. The function in it has the table's name. Families have others.
TABLES = {
    name: module
    for module, names in (
        ("families", "best stalls roofline steps predicted"),
        ("files", "ratios again families"),
    )
    for name in names.split()
}


def table(
    name: str, frame: pd.DataFrame, where: Sequence[str] = (), step: Sequence[str] = ()
) -> pd.DataFrame:
    """Compute one of TABLES, or of a family, from rows of ``frames.frame``, after the conditions ``where``. ``step``: those of the
    figure. Raises Skipped with the reason if the files have no data for it."""
    compute = (
        getattr(import_module(f".{TABLES[name]}", __name__), name)
        if name in TABLES
        else kernels.table(name)
    )
    asked = {"where": tuple(where), "step": step}
    made: pd.DataFrame = compute(
        frame, **{key: asked[key] for key in asked.keys() & signature(compute).parameters}
    )
    made.attrs = {
        "columns": Columns(),
        **{key: frame.attrs[key] for key in ("groups", "results")},
        **made.attrs,
    }
    return made


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The first measurements that succeeded, of a known device."""
    first = ~(reals(frame, "repeat") > 0)  # also where there is none
    return frame[first & (frame["status"] == "ok") & (texts(frame, ".source") != "")]


def point_names(rows: pd.DataFrame, always: Sequence[str] = ()) -> pd.Series:
    """`copy stride 2`: kernel and axes that differ; with ``always`` these, and as few axes as tell points apart."""
    named = [
        name
        for name in ("kernel", *axes(rows, varying=False))
        if name in always or varies(rows[name])
    ] or ["kernel"]
    for name in reversed([name for name in named if always and name not in always]):
        rest = [one for one in named if one != name]
        named = named if rows.drop_duplicates("id").duplicated(rest).any() else rest
    parts = {
        name: rows[name].map(partial(axis_text, column=rows.attrs["columns"].get(name)))
        for name in named
    }
    for name in named:
        if not is_text(rows[name]):
            parts[name] = (name + " " + parts[name]).where(rows[name].notna(), "")
    return pd.Series(
        [" ".join(filter(None, point)) for point in zip(*parts.values())], rows.index, dtype=object
    )


def places(names: pd.Series) -> pd.Series:
    """The height of each name: 0 for the last one by letter, the first on top."""
    return names.map(
        {name: float(place) for place, name in enumerate(sorted(set(names), reverse=True))}
    )


def remark(made: pd.DataFrame, parts: Iterable[str]) -> pd.DataFrame:
    """The table with a text for the caption."""
    made.attrs["remark"] = "; ".join(filter(None, parts))
    return made
