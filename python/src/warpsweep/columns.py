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


class Axes(Shared, dict):  # type: ignore[type-arg]
    """The axes that each family of a frame has."""


class Devices(Shared, dict):  # type: ignore[type-arg]
    """Columns of /devices, called ``device.X``, with a value for each device of all files of a frame."""


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column holds words: not numbers. pandas 3 has a type of its own for them."""
    return not pd.api.types.is_numeric_dtype(values)


class Unread(Shared, set):  # type: ignore[type-arg]
    """Columns that a file has and its reader did not ask for."""


def _found(rows: pd.DataFrame, name: str) -> Any:
    """A column of rows, or of their devices; None: there is none. KeyError for one that was not read."""
    if name in rows:
        return rows[name]
    if name in rows.attrs.get("unread", ()):
        raise KeyError(f"column {name} was not read")
    of_devices = rows.attrs.get("devices", {}).get(name)
    if of_devices is None or "device" not in rows:
        return None
    return of_devices.reindex(rows["device"]).set_axis(rows.index)


def reals(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    """A column of rows, or of their devices, as floats; NaN where there is no such column of numbers: a family may call an axis
    of words so."""
    found = _found(rows, name)
    if found is None or is_text(found):
        return pd.Series(np.nan, rows.index)
    return found.astype(float)


def texts(rows: pd.DataFrame, name: str) -> pd.Series[Any]:
    """A column of texts of rows, or of their devices; empty where there is no such column of texts: a family may call an axis
    of numbers so."""
    found = _found(rows, name)
    if found is None or not is_text(found):
        return pd.Series("", rows.index, dtype=object)
    return found.astype(object).fillna("")
