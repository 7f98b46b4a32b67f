"""The best of each family, where curves have knees, and the laws that the counters agree with."""

from __future__ import annotations

import pandas as pd

from .. import laws
from ..findings import best, describe, disproved
from ..frames import THROTTLED
from ..sheet import DAGGER, Document
from . import plural, print_sources

SHOWN = 10
PREDICTED = ("The best point of each family by the share of what bounds it. Nothing was measured: times and roofs are those of "
             "the time model and its profile.")
ABOUT = (
    "By the share of what bounds a point. The best of many points is chosen after the measurement, and a vendor's "
    "kernel has few shapes to choose from: warpsweep compare --by compares one fixed shape with it. ± is half of the "
    "95 % interval of the median time; two are told apart where their intervals lie apart, and only then is one called "
    "faster; ranges of how much are those of the intervals' ends. Rates along an axis are fitted with a line of pieces "
    "in log-log, with at most two bends, each of which lowers Schwarz's criterion by over 10 against a scatter of at "
    "least 2 %.")


def print_findings(document: Document, frame: pd.DataFrame) -> None:
    """Tables and sentences for each device, then the laws."""
    entries = best(frame)
    document.heading(1, "What was found")
    print_sources(document, frame)
    document.heading(2, "The best of each family")
    measured = any(group.backend != "predicted" for group in frame.attrs["groups"].values())
    document.paragraph(ABOUT if measured else PREDICTED)
    for source, own in entries.groupby("source", sort=False):
        document.heading(3, source)
        texts = [describe(frame, entry) for _, entry in own.iterrows()]
        document.items(texts)
        if DAGGER in "".join(texts):
            document.paragraph(f"{DAGGER}: {THROTTLED}.")
    if not len(entries):
        document.paragraph("No point has a roof.")
    ids = disproved(frame)
    if ids:
        document.paragraph(f"The counters of {plural(len(ids), 'point')} disprove that L2 was in the state that the "
                           "axis cache names (column l2_state): "
                           f"{', '.join(ids[:SHOWN])}{', ...' if len(ids) > SHOWN else ''}.")
    told = laws.described(frame)
    if told:
        document.heading(2, "Formulas of the access model")
        document.paragraph("Formulas in the axes of a point, and how the counters agree with them. No constant is "
                           "fitted.")
        document.items(told)
