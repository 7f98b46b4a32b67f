"""What the files of a report are."""

from __future__ import annotations

from typing import Any

from ..columns import texts
from ..sheet import Document


def print_sources(document: Document, rows: Any) -> None:
    """A list of the devices of a frame, with their back ends, dates and commits."""
    document.items(
        [
            f"{label}: {'; '.join(group.caption.strip().splitlines()).removeprefix(label + ', ')}"
            + (f"; counters: {group.note}" if group.note else "")
            for label, group in rows.attrs["groups"].items()
        ]
    )


def done_text(results: Any) -> str:
    """What happened to the points of a file, in a word."""
    backends = set(texts(results.rows, "backend"))
    timed = "predicted_time" in results.rows  # warpsweep points counts alone
    words = {"predicted": "predicted" if timed else "counted", "fake": "made up"}
    return next((word for backend, word in words.items() if backend in backends), "measured")
