"""Columns that a file may lack, and the rows and places that several tables share."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..frames import is_text
from ..units import bytes_text, scaled, seconds_text


def real(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of numbers; NaN everywhere if the file has none."""
    return frame[name].astype(float) if name in frame else pd.Series(np.nan, frame.index)


def text(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of words; "" where there is none."""
    return frame[name].fillna("") if name in frame else pd.Series("", frame.index, dtype=object)


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The first measurements that succeeded, of a known device."""
    first = ~(real(frame, "repeat") > 0)  # also where there is none
    return frame[first & (frame["status"] == "ok") & (text(frame, "source") != "")]


def words(values: pd.Series, unit: str = "") -> pd.Series:
    """The values of an axis as people read them: `64MiB`, `1.5us`; "" where it does not apply."""
    if is_text(values):
        return values.fillna("")

    def one(value: float) -> str:
        if value != value:
            return ""
        if unit == "bytes" and value % 1 == 0:
            return bytes_text(value)
        return f"{value:.0f}" if value % 1 == 0 else seconds_text(value) if unit == "s" else scaled(value, unit)

    return values.map(one)


def places(names: pd.Series, last: str | None = None) -> pd.Series:
    """The height of each name: 0 for the last one by letter, the first on top. ``last`` is below all others."""
    order = sorted(set(names), key=lambda name: (name == last, name), reverse=True)
    return names.map({name: float(place) for place, name in enumerate(order)})


def remark(made: pd.DataFrame, parts: Iterable[str], separator: str = "; ") -> pd.DataFrame:
    """The table with a text for the caption."""
    made.attrs["remark"] = separator.join(part for part in parts if part)
    return made
