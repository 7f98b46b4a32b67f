"""What a file says of its columns; columns of a frame as numbers or texts, also where a file has no such column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Column:
    """What /columns says of one column."""

    name: str
    type: str
    role: str
    unit: str
    meaning: str
    words: tuple[str, ...] = ()  # that it can hold, in order


class Shared:
    """What pandas does not copy with ``attrs`` at every step."""

    def __deepcopy__(self, memo: object) -> Shared:
        return self


class Columns(Shared, dict):  # type: ignore[type-arg]
    """Columns by name; one that the file does not describe has neither type nor unit."""

    def __missing__(self, name: str) -> Column:
        return Column(name, "", "", "", "")

    def role(self, name: str) -> str:
        """The role of a column; "" if the file does not describe it."""
        return self[name].role if name in self else ""

    def axes(self) -> list[str]:
        """The columns with the role ``axis``."""
        return [name for name, column in self.items() if column.role == "axis"]

    def unit(self, name: str) -> str:
        """The unit of a column; "" if it has none."""
        return self[name].unit if name in self else ""


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column holds words: not numbers. pandas 3 has a type of its own for them."""
    return not pd.api.types.is_numeric_dtype(values)


def reals(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    """A column as floats; NaN where the file has no such column of numbers: a family may call an axis of words so."""
    known = name in rows and not is_text(rows[name])
    return rows[name].astype(float) if known else pd.Series(np.nan, rows.index)


def texts(rows: pd.DataFrame, name: str) -> pd.Series[Any]:
    """A column of texts; empty where the file has no such column of texts: a family may call an axis of numbers so."""
    return (
        rows[name].astype(object).fillna("")
        if name in rows and is_text(rows[name])
        else pd.Series("", rows.index, dtype=object)
    )
