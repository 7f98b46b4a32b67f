"""Columns of a frame as numbers or texts, also where a file has no such column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column holds words: not numbers. pandas 3 has a type of its own for them."""
    return not pd.api.types.is_numeric_dtype(values)


def reals(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    """A column as floats; NaN where the file has no such column."""
    return rows[name].astype(float) if name in rows else pd.Series(np.nan, rows.index)


def texts(rows: pd.DataFrame, name: str) -> pd.Series[Any]:
    """A column of texts; empty where the file has no such column."""
    return (
        rows[name].astype(object).fillna("")
        if name in rows
        else pd.Series("", rows.index, dtype=object)
    )
