"""Columns of a frame as numbers or texts, also where a file has no such column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


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
