"""``warpsweep report``: what results files show, and how far models, runs and devices agree."""
from __future__ import annotations

from importlib import import_module

from .errors import UsageError
from .options import Arguments, Command, Option

FILES_MAX = 64
# Option: the function in reports/, and the heading. Those with a heading print the files one after another.
KINDS = {"findings": ("found.print_findings", ""), "model": ("model.print_model", ""),
         "bounds": ("bounds.print_bounds", "What bounds the points"), "roofs": ("roofs.print_roofs", "Roofs"),
         "time": ("time.print_time", "Where the time went"), "fleet": ("fleet.print_fleet", ""),
         "runs": ("runs.print_runs", ""), "method": ("method.print_method", "How it was measured")}
OF = {"bibtex": "method", "profile": "bounds", "code": "bounds", "threshold": "fleet"}  # options of one report


def _kind(arguments: Arguments) -> str:
    """The report that is asked for; "" if none is."""
    asked = [name for name in KINDS if arguments.given(name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two reports; give one of them")
    for option, kind in OF.items():
        if arguments.given(option) and asked != [kind]:
            raise UsageError(f"--{option} needs --{kind}")
    if asked == ["fleet"] and len(arguments.operands) > 1:
        raise UsageError("report --fleet takes one file, not several")
    if asked == ["runs"] and len(arguments.operands) < 2:
        raise UsageError("report --runs takes several files, of the same job")
    return asked[0] if asked else ""


def run(arguments: Arguments) -> int:
    """Print the report that the options ask for: one of KINDS, or ten lines."""
    kind = _kind(arguments)
    place, heading = KINDS.get(kind, ("summary.print_summary", ""))
    from .frames import frame
    from .results import read
    from .sheet import Document

    module, _, name = place.partition(".")
    report = getattr(import_module(f".reports.{module}", __package__), name)
    document = Document(arguments.text("format") or "md")
    if arguments.given("bibtex"):
        from .reports.method import bibtex

        document.out.write(bibtex())
        return 0
    files = [read(path, salvage=arguments.given("salvage")) for path in arguments.operands]
    for results in files:
        if results.unverified:
            document.paragraph(f"Not verified: {', '.join(results.unverified)} of {results.path.name}.")
    if kind == "fleet":
        return 1 if report(document, files[0], arguments.share("threshold", 0.01)) else 0
    if not heading:
        report(document, files if kind == "runs" else frame(files))
        return 0
    document.heading(1, heading)
    given = {name: arguments.text(name) for name in ("code", "profile")} if kind == "bounds" else {}
    for results in files:
        report(document, results, **given)
    return 0


COMMAND = Command(
    "report", "FILE.h5...", 1, FILES_MAX, "ten lines of findings; best variants, model errors, slow GPUs, run time",
    """Without options: ten lines on how near families come to their roofs, to the vendor's kernels, and to the models.

--findings prints the best variant of each family, its share of the roof, the vendor's result for the same work,
the knees of curves, and how the counters agree with the formulas of the access model.

--model compares predicted columns with hardware counters and lists the points that disagree. The tolerance is 0
for counts per request, 0.1 % for totals and 2 % for DRAM.

--bounds prints what limits each kernel by the time model, and the points whose time is off by more than 15 %,
worst first. --profile replaces the device's own numbers by a profile (warpsweep profile).

--fleet ranks the GPUs of one run, marks outliers (robust z, one false alarm in 500 fleets), and splits the
variance into node, GPU, process and sample. --runs splits the variance between several runs of one job into run
and unit.

Exit code: 1 if --fleet finds an outlier.
""",
    """  warpsweep report results.h5
  warpsweep report hopper.h5 blackwell.h5 --findings --format latex >findings.tex
  warpsweep report results.h5 --model
  warpsweep report cluster.h5 --fleet
  warpsweep report results.h5 --time
  warpsweep report hopper.h5 --method --format latex >method.tex
""",
    (
        Option("format", "f", "FORMAT", "md", ("md", "latex"), "Markdown, or LaTeX for \\input"),
        Option("findings", help="the best variant of each family, knees of curves, formulas"),
        Option("model", "m", help="compare the access model with hardware counters, per kernel"),
        Option("bounds", "b", help="compare the time model with measured times, and show the bounds"),
        Option("profile", "", "FILE", help="with --bounds: this device profile instead of the file's own numbers"),
        Option("code", "", "WHAT", "counted", ("none", "compiled", "counted"), "with --bounds: what is known of code"),
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
