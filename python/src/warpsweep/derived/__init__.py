"""The computed tables of figures: what `#: table NAME` of a figure draws, instead of the files' own rows.

Each is a DataFrame that the ordinary directives apply to: a row per mark, with the columns that the figure names,
`kernel`, and in `source` the label of the device unless the rows compare files. ``attrs["remark"]`` is a text for
the caption, ``attrs["title"]`` another title of the figure.
"""
from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import pandas as pd

from ..results import Columns

# Name of a table: its module here. The function in it has the table's name.
TABLES = {
    "best": "best", "stalls": "best", "roofline": "roofline", "ladder": "ladder", "links": "links",
    "contention": "contention", "predicted": "points", "residuals": "points", "canaries": "points",
    "samples": "samples", "densities": "samples", "ratios": "ratios", "again": "ratios", "families": "ratios",
    "heat": "ratios", "history": "history", "fleet": "fleet",
}


def table(name: str, frame: pd.DataFrame, options: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Compute a table.

    name     one of TABLES
    frame    rows of ``warpsweep.frames.frame``, after conditions; with repetitions of canaries for `canaries`
    options  `paths` (the files, one a line) for samples and comparisons, `heat` ("AXIS,AXIS"), `where` (the conditions)
    Raises Skipped with the reason if the files have no data for it.
    """
    made: pd.DataFrame = getattr(import_module(f".{TABLES[name]}", __name__), name)(frame, options or {})
    made.attrs = {"columns": Columns(), **{key: frame.attrs[key] for key in ("groups", "results")}, **made.attrs}
    return made
