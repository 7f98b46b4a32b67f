"""`warpsweep report`: what results files show, and how far models, runs and devices agree."""

from __future__ import annotations

from typing import Callable

from .options import Arguments, Command, Option
from .errors import UsageError

FILES_MAX = 64


def _print_sources(document, frame) -> None:
    document.items([f"{label}: {'; '.join(group.caption.strip().splitlines())}" + (f"; counters: {group.note}" if group.note else "")
                    for label, group in frame.attrs["groups"].items()])


def _summary(document, frame) -> int:
    from .reports.summary import print_summary

    print_summary(document, frame)
    return 0


def _findings(document, frame) -> int:
    from .reports.found import print_findings

    document.heading(1, "What was found")
    _print_sources(document, frame)
    print_findings(document, frame)
    return 0


def _model(document, frame) -> int:
    from .reports.model import print_model

    document.heading(1, "Model against hardware")
    _print_sources(document, frame)
    return 1 if print_model(document, frame) else 0


def _each(arguments: Arguments, document, heading: str, report: Callable) -> int:
    """Report on each file by itself; 1 if any report found a problem."""
    from .results import read

    code = 0
    for place, path in enumerate(arguments.operands):
        results = read(path, salvage=arguments.given("salvage"))
        if not place:
            document.heading(1, heading)
        code = max(code, report(document, results) or 0)
    return code


def _time(arguments: Arguments, document) -> int:
    from .reports.time import print_time

    return _each(arguments, document, "Where the time went", lambda document, results: 0 if print_time(document, results) else 1)


def _roofs(arguments: Arguments, document) -> int:
    from .reports.roofs import print_roofs

    return _each(arguments, document, "Roofs", print_roofs)


def _method(arguments: Arguments, document) -> int:
    from .reports.method import bibtex, print_method

    if arguments.given("bibtex"):
        print(bibtex(), end="")
        return 0
    return _each(arguments, document, "How it was measured", print_method)


def _bounds(arguments: Arguments, document) -> int:
    from .reports.bounds import print_bounds

    profile, code = arguments.text("profile"), arguments.text("code")
    if profile is not None:
        from .profile import read

        profile = read(profile)
    return _each(arguments, document, "What bounds the points",
                 lambda document, results: 1 if print_bounds(document, results, profile, code) else 0)


def _fleet(arguments: Arguments, document) -> int:
    from .reports.fleet import print_fleet
    from .results import read

    if len(arguments.operands) > 1:
        raise UsageError("report --fleet takes one file, not several")
    results = read(arguments.operands[0], salvage=arguments.given("salvage"))
    return 1 if print_fleet(document, results, arguments.share("threshold", 0.01)) else 0


def _runs(arguments: Arguments, document) -> int:
    from .reports.runs import print_runs
    from .results import read

    if len(arguments.operands) < 2:
        raise UsageError("report --runs takes several files, of the same job")
    print_runs(document, [read(path, salvage=arguments.given("salvage")) for path in arguments.operands])
    return 0


def run(arguments: Arguments) -> int:
    from .frames import frame
    from .results import read
    from .sheet import Document

    document = Document(arguments.text("format"))
    for name, report in (("fleet", _fleet), ("runs", _runs), ("time", _time), ("roofs", _roofs), ("method", _method), ("bounds", _bounds)):
        if arguments.given(name):
            return report(arguments, document)
    if arguments.given("bibtex"):
        raise UsageError("--bibtex needs --method")
    rows = frame([read(path, salvage=arguments.given("salvage")) for path in arguments.operands])
    if arguments.given("model"):
        return _model(document, rows)
    return _findings(document, rows) if arguments.given("findings") else _summary(document, rows)


COMMAND = Command(
    name="report", operands="FILE.h5...", minimum=1, maximum=FILES_MAX,
    summary="best variants, model errors, fleet outliers, run time",
    details="",
    examples="  warpsweep report results.h5\n",
    options=(
        Option("format", "f", "FORMAT", "md", ("md", "latex"), "Markdown, or LaTeX for \\input"),
        Option("findings", help="only the best variant of each family and where curves bend"),
        Option("model", "m", help="compare the access model with hardware counters, per kernel"),
        Option("bounds", "b", help="compare the time model with measured times, and show the bounds"),
        Option("profile", value="FILE", help="with --bounds: use this device profile instead of the file's own numbers"),
        Option("code", value="WHAT", default="counted", words=("none", "instructions", "counted"), help="with --bounds: source of instruction counts"),
        Option("roofs", help="measured roofs with their ranges, beside the data sheet"),
        Option("time", help="run time by phase, rank and family"),
        Option("fleet", help="which GPUs of a run with `devices: all` differ, and the sources of variance"),
        Option("runs", help="from runs of one job: what another run, and another unit, adds to the variance"),
        Option("threshold", "t", "SHARE", "1%", help="with --fleet: the smallest difference that matters"),
        Option("method", help="the method section of a paper"),
        Option("bibtex", help="with --method: its references in BibTeX"),
        Option("salvage", help="read tables with a wrong checksum"),
    ),
    run=run,
)
