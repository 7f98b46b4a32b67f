"""The report on several runs of one job."""

from __future__ import annotations

from typing import Sequence

from ..results import Results
from ..runs import between
from ..sheet import Document
from . import number, table


def print_runs(document: Document, files: Sequence[Results]) -> None:
    """What another run and another unit add, by class of duration, and as values of a device profile."""
    found = between(files)
    every, of = found.loc["all"], found.attrs
    document.heading(1, "What runs and units add")
    table(document, ["time", ">points", ">run adds, %", ">unit adds, %", ">one unit held, %", ">two units held, %"],
          [[name, f"{row['points']:.0f}", *(number("{:.3f}", 100 * row[one] ** 0.5) for one in ("run", "unit")),
            *(number("{:.1f}", 100 * row[one]) for one in ("held_run", "held_unit"))] for name,
            row in found.drop("all").iterrows()])
    document.paragraph(
        f"{of['runs']} runs on {of['units']} units (by UUID) in {of['groups']} groups (by the roofs of DRAM, within 1 "
        f"%); {every['points']:.0f} points that all have measured. Units are compared within their group. Standard "
        "deviations, beyond what the processes of a run explain. Held: pairs of runs whose difference lies within the "
        "95 % interval of their processes alone.")
    document.paragraph("For a device profile, by which compare widens its intervals (of cold points; 0 is left out):")
    values = {f"spread_{level}_{length}": found[level].get(f"cold, {side} 100 us", 0.0) ** 0.5
              for level in ("run", "unit") for length, side in (("short", "below"), ("long", "above"))}
    values.update({f"spread_{what}": float(of[what]) for what in ("runs", "units", "groups")})
    document.items([f"{name}: {value:.3g}" for name, value in values.items() if value > 0])
