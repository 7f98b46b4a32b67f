"""What several tables share: their rows, words and places."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from ..frames import axes, is_text
from ..laws import number, word
from ..pivots import person
from ..results import Column


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The first measurements that succeeded, of a known device."""
    first = ~(number(frame, "repeat") > 0)  # also where there is none
    return frame[first & (frame["status"] == "ok") & (word(frame, "source") != "")]


def words(values: pd.Series, column: Column) -> pd.Series:
    """The values of an axis as people read them: `64MiB`, `1.5us`; "" where it does not apply."""
    if is_text(values):
        return values.fillna("")
    return values.map(lambda value: person(value, column) if value == value else "")


def point_names(rows: pd.DataFrame, always: Sequence[str] = ()) -> pd.Series:
    """`copy stride 2`: kernel and axes in which the rows differ; the kernel alone if they do not. With ``always``: these
    columns, and as few axes as tell points of different ``id`` apart, later ones left out first."""
    named = [name for name in ("kernel", *axes(rows, varying=False))
             if name in always or rows[name].nunique(dropna=False) > 1] or ["kernel"]
    for name in reversed([name for name in named if always and name not in always]):
        rest = [one for one in named if one != name]
        named = named if rows.drop_duplicates("id").duplicated(rest).any() else rest
    parts = {name: words(rows[name], rows.attrs["columns"].get(name)) for name in named}
    for name in named:
        if not is_text(rows[name]):
            parts[name] = (name + " " + parts[name]).where(rows[name].notna(), "")
    return pd.Series([" ".join(filter(None, point)) for point in zip(*parts.values())], rows.index, dtype=object)


def places(names: pd.Series) -> pd.Series:
    """The height of each name: 0 for the last one by letter, the first on top."""
    return names.map({name: float(place) for place, name in enumerate(sorted(set(names), reverse=True))})


def remark(made: pd.DataFrame, parts: Iterable[str], separator: str = "; ") -> pd.DataFrame:
    """The table with a text for the caption."""
    made.attrs["remark"] = separator.join(filter(None, parts))
    return made
