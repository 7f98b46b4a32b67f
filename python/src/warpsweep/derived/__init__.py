"""The computed tables of figures: what `#: table NAME` of a figure draws, instead of the files' own rows.

Each is a DataFrame that the ordinary directives apply to: a row per mark, with the columns that the figure names,
`kernel`, and in `source` the label of the device unless the rows compare files. ``attrs["remark"]`` is a text for
the caption, ``attrs["title"]`` replaces that of the figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import signature

import pandas as pd

from .. import kernels
from ..columns import Columns
from . import book, families, files, transients

TABLES: dict[str, Callable[..., pd.DataFrame]] = {
    one.__name__: one
    for one in (
        families.best,
        families.stalls,
        families.roofline,
        families.steps,
        families.predicted,
        book.textbook,
        files.ratios,
        files.again,
        files.families,
        transients.transients,
    )
}


def table(
    name: str,
    frame: pd.DataFrame,
    where: Sequence[str] = (),
    step: Sequence[str] = (),
    state: Sequence[str] = (),
) -> pd.DataFrame:
    """Compute one of TABLES, or of a family, from rows of ``frames.frame``, after the conditions ``where``. ``step`` and
    ``state``: those of the figure. Raises Skipped with the reason if the files have no data for it."""
    compute = TABLES.get(name) or _of_family(name)
    asked = {"where": tuple(where), "step": step, "state": state}
    made = compute(
        frame, **{key: asked[key] for key in asked.keys() & signature(compute).parameters}
    )
    made.attrs = {
        "columns": Columns(),
        **{key: frame.attrs[key] for key in ("groups", "results")},
        **made.attrs,
    }
    return made


def _of_family(name: str) -> Callable[..., pd.DataFrame]:
    """The table of that name that a family has in its module `tables`."""
    (owner,) = (of for of, one in kernels.every().items() if name in one.tables)
    found: Callable[..., pd.DataFrame] = getattr(
        import_module(f"{kernels.__name__}.{owner}.tables"), name
    )
    return found
