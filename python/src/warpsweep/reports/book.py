"""Statements of a textbook beside measurements."""

from __future__ import annotations

import pandas as pd

from ..errors import UsageError
from ..sheet import Document
from ..textbook import compared, sheet, statements
from ..units import plural

ABOUT = (
    "A number of times: the time before over the time after, ± half of its 95 % interval. As printed: within 10 % of the "
    "book; no effect: within 5 % of 1."
)


def print_textbook(document: Document, frame: pd.DataFrame) -> None:
    """A row for each statement whose points the files have measured. Raises UsageError if there is none."""
    rows = compared(frame.attrs["results"])
    if rows.empty:
        jobs = ", ".join(dict.fromkeys(statements()["job"]))
        raise UsageError(f"no file has the points of a statement; jobs that have them: {jobs}")
    lacking = len(statements()) - rows["place"].nunique()
    document.sheet(sheet(rows))
    document.paragraph(
        ABOUT + (f" {plural(lacking, 'statement')} not measured." if lacking else "")
    )
