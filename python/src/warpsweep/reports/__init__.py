"""``warpsweep report``: what results files show, and how far models and counters agree. Each module prints one report
into a `sheet.Document`, and has the numbers as DataFrames."""

from __future__ import annotations

from ..errors import UsageError
from ..frames import frame
from ..identity import without_copies
from ..options import Arguments
from ..profiles import read as read_profile
from ..results import read
from ..sheet import Document
from . import book, bounds, choices, model, roofs, summary, time

# By option: reports of all files together, and of each file
OF_ALL = {
    "": summary.print_summary,
    "findings": summary.print_findings,
    "model": model.print_model,
    "textbook": book.print_textbook,
    "winners": choices.print_winners,
}
OF_EACH = {
    "bounds": ("What bounds the points", bounds.print_bounds),
    "roofs": ("Roofs", roofs.print_roofs),
    "time": ("Where the time went", time.print_time),
}


def run(arguments: Arguments) -> int:
    """Print the report that the options ask for, or ten lines."""
    asked = [name for name in (*OF_ALL, *OF_EACH) if name and arguments.given(name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two reports; give one of them")
    for option in ("profile", "code"):
        if arguments.given(option) and asked != ["bounds"]:
            raise UsageError(f"--{option} needs --bounds")
    if arguments.given("profile"):
        read_profile(str(arguments.text("profile")))  # its errors come before any output
    document, name = Document(arguments.text("format") or "md"), "".join(asked)
    files = without_copies([read(path) for path in arguments.operands])
    if name in OF_ALL:
        OF_ALL[name](document, frame(files, devices=()))
        return 0
    title, report = OF_EACH[name]
    document.heading(1, title)
    given = {of: arguments.text(of) for of in ("code", "profile")} if name == "bounds" else {}
    for results in files:
        report(document, results, **given)
    return 0
