"""The computed tables of figures: what `#: table NAME` of a figure draws, instead of the files' own rows.

Each is a DataFrame that the ordinary directives apply to: a row per mark, with the columns that the figure names,
`kernel`, and in `source` the label of the device unless the rows compare files. ``attrs["remark"]`` is a text for
the caption, ``attrs["title"]`` another title of the figure, ``attrs["marks"]`` places along x with a name, by panel.
"""
from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import pandas as pd

from ..results import Columns

# Name of a table: its module here. The function in it has the table's name.
TABLES = {
    "best": "families", "stalls": "families", "roofline": "families", "steps": "families", "links": "links",
    "contention": "links", "predicted": "points", "canaries": "points", "samples": "points",
    "ratios": "files", "again": "files", "families": "files", "heat": "files",
    "history": "history", "fleet": "files",
}
OPTIONS = {"steps": ("step",), "heat": ("where", "heat"), "ratios": ("where",), "again": ("where",),
           "families": ("where",), "history": ("where",)}


def table(name: str, frame: pd.DataFrame, heat: str = "", where: Sequence[str] = (),
          step: Sequence[str] = ()) -> pd.DataFrame:
    """Compute a table.

    name   one of TABLES
    frame  rows of ``warpsweep.frames.frame``, after conditions; with repetitions of canaries for `canaries`
    heat   "AXIS,AXIS"
    where  the conditions, for tables that read the files again
    step   the steps of the figure
    Raises Skipped with the reason if the files have no data for it.
    """
    of = {"heat": heat, "where": tuple(where), "step": step}
    compute = getattr(import_module(f".{TABLES[name]}", __name__), name)
    made: pd.DataFrame = compute(frame, **{option: of[option] for option in OPTIONS.get(name, ())})
    made.attrs = {"columns": Columns(), **{key: frame.attrs[key] for key in ("groups", "results")}, **made.attrs}
    return made
