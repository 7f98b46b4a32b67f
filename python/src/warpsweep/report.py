"""``warpsweep report``: what results files show, and how far models and counters agree."""
from __future__ import annotations

from .errors import UsageError
from .frames import frame
from .options import Arguments
from .pairing import without_copies
from .reports import bounds, found, model, roofs, summary, time
from .results import read
from .sheet import Document

OF_ALL = {"findings": found.print_findings, "model": model.print_model}  # by option: reports of all files together
OF_EACH = {"bounds": (bounds.print_bounds, "What bounds the points"), "roofs": (roofs.print_roofs, "Roofs"),
           "time": (time.print_time, "Where the time went")}


def run(arguments: Arguments) -> int:
    """Print the report that the options ask for, or ten lines."""
    asked = [name for name in (*OF_ALL, *OF_EACH) if arguments.given(name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two reports; give one of them")
    for option in ("profile", "code", "reference"):
        if arguments.given(option) and asked != ["bounds"]:
            raise UsageError(f"--{option} needs --bounds")
    document = Document(arguments.text("format") or "md")
    files = without_copies([read(path) for path in arguments.operands])
    if not asked or asked[0] in OF_ALL:
        OF_ALL.get("".join(asked), summary.print_summary)(document, frame(files))
        return 0
    report, heading = OF_EACH[asked[0]]
    document.heading(1, heading)
    given = {name: arguments.text(name) for name in ("code", "profile", "reference")} if asked == ["bounds"] else {}
    for results in files:
        report(document, results, **given)
    return 0
