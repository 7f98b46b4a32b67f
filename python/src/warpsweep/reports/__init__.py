"""The reports: each module prints one of them into a `sheet.Document`, and has the numbers as DataFrames."""

from __future__ import annotations

import math
from typing import Any

from ..laws import word
from ..sheet import Document


def number(form: str, value: float) -> str:
    """A number in a format such as "{:.1f} %"; a dash if it is NaN."""
    return "-" if math.isnan(value) else form.format(value)


def share(part: float, of: float) -> str:
    """ "37.7 %", a dash of nothing """
    return number("{:.1f} %", 100 * part / of if of else math.nan)


def plural(count: int, word: str) -> str:
    """ "1 device", "2 devices" """
    return f"{count} {word}{'' if count == 1 else 's'}"


def print_sources(document: Document, frame: Any) -> None:
    """A list of the devices of a frame, with their back ends, dates and commits."""
    document.items([f"{label}: {'; '.join(group.caption.strip().splitlines())}"
                    + (f"; counters: {group.note}" if group.note else "")
                    for label, group in frame.attrs["groups"].items()])


def done_text(results: Any) -> str:
    """What happened to the points of a file, in a word."""
    backends = set(word(results.rows, "backend"))
    return "predicted" if "predicted" in backends else "made up" if "fake" in backends else "measured"
