"""What several tables share: their rows, words and places."""
from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ..frames import is_text
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


def places(names: pd.Series) -> pd.Series:
    """The height of each name: 0 for the last one by letter, the first on top."""
    return names.map({name: float(place) for place, name in enumerate(sorted(set(names), reverse=True))})


def remark(made: pd.DataFrame, parts: Iterable[str], separator: str = "; ") -> pd.DataFrame:
    """The table with a text for the caption."""
    made.attrs["remark"] = separator.join(filter(None, parts))
    return made
