"""What computed tables share: the points that they are of, the names and places of marks, the text for the caption."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pandas as pd

from ..columns import is_text, reals, texts
from ..findings import axis_text
from ..selecting import axes, varies


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
