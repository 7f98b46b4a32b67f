"""``warpsweep report``: what results files show, and how far models and counters agree. Each module prints one report
into a `sheet.Document`, and has the numbers as DataFrames."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import UsageError
from ..frames import frame, texts
from ..options import Arguments
from ..sheet import Document

# By option: reports of all files together, and of each file
OF_ALL = {
    "": "summary.print_summary",
    "findings": "summary.print_findings",
    "model": "model.print_model",
}
OF_EACH = {"bounds": "What bounds the points", "roofs": "Roofs", "time": "Where the time went"}


def run(arguments: Arguments) -> int:
    """Print the report that the options ask for, or ten lines."""
    from ..identity import without_copies
    from ..profiles import read as read_profile
    from ..results import read

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
    module, function = OF_ALL.get(name, f"{name}.print_{name}").split(".")
    report = getattr(import_module(f".{module}", __name__), function)
    if name in OF_ALL:
        report(document, frame(files))
        return 0
    document.heading(1, OF_EACH[name])
    given = {of: arguments.text(of) for of in ("code", "profile")} if name == "bounds" else {}
    for results in files:
        report(document, results, **given)
    return 0


def print_sources(document: Document, rows: Any) -> None:
    """A list of the devices of a frame, with their back ends, dates and commits."""
    document.items(
        [
            f"{label}: {'; '.join(group.caption.strip().splitlines())}"
            + (f"; counters: {group.note}" if group.note else "")
            for label, group in rows.attrs["groups"].items()
        ]
    )


def done_text(results: Any) -> str:
    """What happened to the points of a file, in a word."""
    backends = set(texts(results.rows, "backend"))
    words = {"predicted": "predicted", "fake": "made up"}
    return next((word for backend, word in words.items() if backend in backends), "measured")
