"""Statements of a textbook beside measured ratios."""

from __future__ import annotations

import pandas as pd

from ..directives import Skipped
from ..textbook import RATIO, compared

STATEMENTS_MIN = 3


def textbook(frame: pd.DataFrame) -> pd.DataFrame:
    """times, low, high, place, by (measured; the book), kernel (the name of the statement): what the points of each device give, and what is
    printed of them."""
    rows = compared(frame.attrs["results"])
    rows = rows[rows["unit"] == RATIO].drop_duplicates(["place", "source"])
    if rows["place"].nunique() < STATEMENTS_MIN:
        raise Skipped(f"it needs {STATEMENTS_MIN} of the statements on two points")
    rank = rows["place"].rank(method="dense")
    own = {".source": rows["source"], "kernel": rows["name"], "place": rank.max() - rank}
    measured = pd.DataFrame(
        {
            **own,
            "by": "measured",
            "times": rows["value"],
            "low": rows["value_low"],
            "high": rows["value_high"],
        }
    )
    printed = pd.DataFrame({**own, "by": "the book", "times": rows["low"]})
    return pd.concat([measured, printed], ignore_index=True)
