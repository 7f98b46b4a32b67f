"""``warpsweep report``: what results files show, and how far models and counters agree."""
from __future__ import annotations

from importlib import import_module

from .errors import UsageError
from .frames import frame
from .options import Arguments
from .pairing import without_copies
from .results import read
from .sheet import Document

# Option: the function in reports/, and the heading. Those with a heading print the files one after another.
KINDS = {"findings": ("found.print_findings", ""), "model": ("model.print_model", ""),
         "bounds": ("bounds.print_bounds", "What bounds the points"), "roofs": ("roofs.print_roofs", "Roofs"),
         "time": ("time.print_time", "Where the time went")}


def run(arguments: Arguments) -> int:
    """Print the report that the options ask for: one of KINDS, or ten lines."""
    asked = [name for name in KINDS if arguments.given(name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two reports; give one of them")
    for option in ("profile", "code", "reference"):
        if arguments.given(option) and asked != ["bounds"]:
            raise UsageError(f"--{option} needs --bounds")
    place, heading = KINDS[asked[0]] if asked else ("summary.print_summary", "")
    module, _, name = place.partition(".")
    report = getattr(import_module(f".reports.{module}", __package__), name)
    document = Document(arguments.text("format") or "md")
    files = without_copies([read(path) for path in arguments.operands])
    if not heading:
        report(document, frame(files))
        return 0
    document.heading(1, heading)
    given = {name: arguments.text(name) for name in ("code", "profile", "reference")} if asked == ["bounds"] else {}
    for results in files:
        report(document, results, **given)
    return 0
