"""``warpsweep report``: what results files show, and how far models, runs and devices agree."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .options import Arguments, Command, Option

if TYPE_CHECKING:
    from .results import Results
    from .sheet import Document

FILES_MAX = 64


def _read(arguments: Arguments) -> list[Results]:
    from .results import read

    return [read(path, salvage=arguments.given("salvage")) for path in arguments.operands]


def _start(document: Document, heading: str, files: list[Results]) -> None:
    """The heading, and which tables were read in spite of their checksums."""
    document.heading(1, heading)
    bad = [f"{results.path.name}: {', '.join(results.unverified)}" for results in files if results.unverified]
    if bad:
        document.paragraph(f"Not verified: {'; '.join(bad)}.")


def _together(document: Document, heading: str, files: list[Results]) -> Any:
    """The frame of all files, below the heading and the list of their devices."""
    from .frames import frame

    rows = frame(files)
    _start(document, heading, files)
    document.items([f"{label}: {'; '.join(group.caption.strip().splitlines())}"
                    + (f"; counters: {group.note}" if group.note else "") for label, group in rows.attrs["groups"].items()])
    return rows


def _summary(arguments: Arguments, document: Document) -> None:
    from .frames import frame
    from .reports.summary import print_summary

    print_summary(document, frame(_read(arguments)))


def _findings(arguments: Arguments, document: Document) -> None:
    from .reports.found import print_findings

    print_findings(document, _together(document, "What was found", _read(arguments)))


def _model(arguments: Arguments, document: Document) -> None:
    from .reports.model import print_model

    print_model(document, _together(document, "Model against hardware", _read(arguments)))


def _each(arguments: Arguments, document: Document, heading: str, report: Callable[..., Any]) -> None:
    files = _read(arguments)
    _start(document, heading, files)
    for results in files:
        report(document, results)


def _bounds(arguments: Arguments, document: Document) -> None:
    from .reports.bounds import print_bounds

    profile, code = arguments.text("profile"), arguments.text("code")
    if profile is not None:
        from .profile import read as read_profile

        profile = read_profile(profile)
    _each(arguments, document, "What bounds the points", lambda document, results: print_bounds(document, results, profile, code))


def _roofs(arguments: Arguments, document: Document) -> None:
    from .reports.roofs import print_roofs

    _each(arguments, document, "Roofs", print_roofs)


def _time(arguments: Arguments, document: Document) -> None:
    from .reports.time import print_time

    _each(arguments, document, "Where the time went", print_time)


def _fleet(arguments: Arguments, document: Document) -> int:
    from .reports.fleet import print_fleet

    if len(arguments.operands) > 1:
        raise UsageError("report --fleet takes one file, not several")
    return 1 if print_fleet(document, _read(arguments)[0], arguments.share("threshold", 0.01)) else 0


def _runs(arguments: Arguments, document: Document) -> None:
    from .reports.runs import print_runs

    if len(arguments.operands) < 2:
        raise UsageError("report --runs takes several files, of the same job")
    print_runs(document, _read(arguments))


def _method(arguments: Arguments, document: Document) -> None:
    from .reports.method import bibtex, print_method

    if arguments.given("bibtex"):
        document.out.write(bibtex())
    else:
        _each(arguments, document, "How it was measured", print_method)


KINDS: dict[str, Callable[[Arguments, Document], int | None]] = {
    "findings": _findings, "model": _model, "bounds": _bounds, "roofs": _roofs, "time": _time, "fleet": _fleet, "runs": _runs,
    "method": _method}


def run(arguments: Arguments) -> int:
    """Print the report that the options ask for: one of KINDS, or ten lines."""
    from .sheet import Document

    asked = [name for name in KINDS if arguments.given(name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two reports; give one of them")
    for option, kind in (("bibtex", "method"), ("profile", "bounds"), ("code", "bounds"), ("threshold", "fleet")):
        if arguments.given(option) and asked != [kind]:
            raise UsageError(f"--{option} needs --{kind}")
    report = KINDS[asked[0]] if asked else _summary
    return report(arguments, Document(arguments.text("format") or "md")) or 0


COMMAND = Command(
    "report", "FILE.h5...", 1, FILES_MAX, "ten lines of findings; best variants, model errors, slow GPUs, run time",
    "Without options: ten lines on how near the families come to their roofs, to the vendor's kernels, and to the models.\n"
    "\n"
    "--findings prints the best variant of each family, its share of the roof, the vendor's result for the same work, the\n"
    "knees of curves, and how the counters agree with the formulas of the access model.\n"
    "\n"
    "--model compares predicted columns with hardware counters and lists the points that disagree. The tolerance is 0 for\n"
    "counts per request, 0.1 % for totals and 2 % for DRAM.\n"
    "\n"
    "--bounds prints what limits each kernel by the time model, and the points whose time is off by more than 15 %, worst\n"
    "first. --profile replaces the device's own numbers by a profile (warpsweep profile). Files of 0.5 and before lack what\n"
    "the model needs: the predictions that they hold are compared.\n"
    "\n"
    "--fleet ranks the GPUs of one run, marks outliers (robust z, one false alarm in 500 fleets), and splits the variance\n"
    "into node, GPU, process and sample. --runs splits the variance between several runs of one job into run and unit.\n"
    "\n"
    "Exit code: 1 if --fleet finds an outlier.\n",
    "  warpsweep report results.h5\n"
    "  warpsweep report hopper.h5 blackwell.h5 --findings --format latex >findings.tex\n"
    "  warpsweep report results.h5 --model\n"
    "  warpsweep report cluster.h5 --fleet\n"
    "  warpsweep report results.h5 --time\n"
    "  warpsweep report hopper.h5 --method --format latex >method.tex\n",
    (
        Option("format", "f", "FORMAT", "md", ("md", "latex"), "Markdown, or LaTeX for \\input"),
        Option("findings", help="the best variant of each family, knees of curves, formulas"),
        Option("model", "m", help="compare the access model with hardware counters, per kernel"),
        Option("bounds", "b", help="compare the time model with measured times, and show the bounds"),
        Option("profile", "", "FILE", help="with --bounds: use this device profile instead of the file's own numbers"),
        Option("code", "", "WHAT", "counted", ("none", "compiled", "counted"), "with --bounds: what is known of the code"),
        Option("roofs", help="measured roofs with their ranges, beside the data sheet"),
        Option("time", help="run time by phase, rank and family"),
        Option("fleet", help="which GPUs of a run with `devices: all` differ, and the sources of variance"),
        Option("threshold", "t", "SHARE", "1%", help="with --fleet: the smallest difference that matters"),
        Option("runs", help="from runs of one job: what another run, and another unit, adds to the variance"),
        Option("method", help="the method section of a paper"),
        Option("bibtex", help="with --method: its references in BibTeX"),
        Option("salvage", help="read tables with a wrong checksum, and name them"),
    ),
    run)
