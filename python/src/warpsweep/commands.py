"""The commands that read results files, but for those of figures, papers and predictions: options, and texts of --help.

Imports nothing outside the standard library, so that help and usage errors answer at once; `run` is imported when a
command starts."""
from __future__ import annotations

from .options import FILTER, Command, Option


COMPARE = Command(
    name="compare", operands="A.h5 [B.h5]", minimum=1, maximum=2,
    summary="compare two results files, two versions or two values of a column, with verdicts",
    details="""\
Compares B with A point by point: faster, slower, same or uncertain. The intervals include samples,
processes and devices, and are corrected for the number of points. Points are paired by id, or by
kernel and axis values if the family's version differs. With --by they are paired by all other axes. One file of a
paired run (run --kernels a=DIR --kernels b=DIR) is compared without --by. The assumptions are printed below the table,
or on stderr with tsv, csv, json, md and latex.

Exit code: 1 if no point was measured on both sides. With --fail-above, 1 also if a point is slower by
more than that, or only A has measured it. 2 if the times are not comparable and --mixed is not given.
""",
    examples="""\
  warpsweep compare hopper.h5 blackwell.h5
  warpsweep compare before.h5 after.h5 --points -f tsv | awk '$NF == "slower"'
  warpsweep compare before.h5 after.h5 --fail-above 5% --annotate
  warpsweep compare results.h5 --by variant --baseline load -k copy
  warpsweep compare results.h5 -k copy --by variant,vector --baseline memcpy,1
  warpsweep compare pairs.h5 --threshold 0.2%
""",
    options=(
        *FILTER, Option("points", "p", help="list points instead of families"),
        Option("by", "b", "NAME,NAME",
               help="in one file: compare the values of an axis or of devices, or combinations of several axes"),
        Option("baseline", "", "VALUE", help="in one file: the value or version to compare with; default: the first"),
        Option("threshold", "t", "SHARE", help="the smallest difference that matters; default: 1%, of pairs 0.1%"),
        Option("fail-above", "", "SHARE", help="exit code 1 if a point is slower by more than this; for CI"),
        Option("annotate",
               help="also print slower points as GitHub annotations: errors above --fail-above, else warnings"),
        Option("mixed", help="allow different cache states, back ends or timers"),
        Option("format", "f", "FORMAT", "text", ("text", "tsv", "csv", "json", "md", "latex"),
               help="text; tsv, csv and json in SI units; md and latex in scaled units"),
    ),
    run="comparing.run",
)


HISTORY = Command(
    name="history", operands="FILE.h5...", minimum=1, maximum=256,
    summary="many runs of one job: when times changed for good, and what else did",
    details="""\
Sorts the files of one product by their start, and finds the runs from which on a point takes longer
or shorter: how many points, and by how much. Also prints what else the files tell of the change:
unit, host, driver, toolkit, firmware, commit. Points are those of the last file. Intervals include what further
runs and units of the product add, if its profile tells. At most one of a hundred changes is wrong.

Exit code: 1 if the last change of a point made it slower; 2 for fewer than three files, or files of
several products.
""",
    examples="""\
  warpsweep history before.h5 good1.h5 good2.h5 after.h5
  warpsweep history good*.h5 results.h5 --points -f latex >history.tex
""",
    options=(
        Option("threshold", "t", "SHARE", "1%", help="the smallest change that matters"),
        Option("points", "p", help="list every point that changed"),
        Option("format", "f", "FORMAT", "md", ("md", "latex", "json"),
               help="Markdown, LaTeX for \\input, or JSON"),
    ),
    run="histories.run",
)


JUDGE = Command(
    name="judge", operands="FILE.h5 [GOOD.h5]...", minimum=1, maximum=256,
    summary="is this machine right? A results file against those of good devices",
    details="""\
Compares each device of a file with devices of the same product that are known to be good: the times
of each part of the machine, and what the driver tells of clocks, power limit, ECC, PCIe and NVLinks.

A part is slow if it is slower by more than the threshold than in the nearest reference of its kind,
or one of its points than in every reference, with an error rate of one in a thousand. Units are of
one kind if their boards have the same part number, or else the nearest copy roofs. The threshold is
at least 5 % for links and 10 % for latencies of L2 and DRAM, because good devices differ by half of
that. Intervals include what another unit adds, if the product's profile tells.

Without GOOD.h5, the references are files that ship with warpsweep: two H100s and two H200s. Your own
are results files of jobs/judge.yaml from devices that you trust: the more, the better.

With --fleet, the devices of one product in one run (`timing: {devices: all}`) are held against each
other instead, and pairs of devices by their links, with a false alarm in one of 500 fleets.

Exit code: 1 if a part is slow, a property of the hardware is wrong, a point failed, points or ranks
are missing, a part cannot be judged, or --fleet finds an outlier; 2 if there is no reference.
""",
    examples="""\
  mpirun -n 8 warpsweep run jobs/judge.yaml -o node17.h5
  warpsweep judge node17.h5
  warpsweep judge node17.h5 good1.h5 good2.h5
  warpsweep judge cluster.h5 --fleet
""",
    options=(
        Option("threshold", "t", "SHARE", "1%", help="the smallest difference that matters"),
        Option("format", "f", "FORMAT", "md", ("md", "latex", "json"),
               help="Markdown, LaTeX for \\input, or JSON"),
        Option("fleet", help="the devices of one run against each other"),
        Option("quiet", "q", help="print devices with a deviation only"),
    ),
    run="judging.run",
)


PIVOT = Command(
    name="pivot", operands="FILE.h5...", minimum=1, maximum=64,
    summary="tables of results files for papers: pivots, Markdown, LaTeX, derived columns",
    details="""Without --parts it prints rows, as `warpsweep table` does. The default columns are the kernel, the axes that
vary, the status and the main results. In --derive, COLUMN[AXIS=VALUE,...] is the value of the point that
differs only in these axes.
""",
    examples="""  warpsweep pivot results.h5 -k copy -w variant=memcpy -f latex -p rows=size,cols=cache,value=bandwidth
  warpsweep pivot results.h5 --where stride=1 --format md
  warpsweep pivot h100.h5 h200.h5 -w variant=memcpy -w cache=cold -p rows=size,cols=device.name,value=bandwidth
  warpsweep pivot results.h5 -k copy -d 'share=bandwidth/bandwidth[variant=memcpy]' -c size,share
""",
    options=(
        *FILTER,
        Option("parts", "p", "PARTS", help="rows=NAME,cols=NAME,value=NAME: a row per value of one column, a column per "
               "value of another"),
        Option("columns", "c", "NAME,NAME", help="columns to show, or all; device.NAME comes from /devices"),
        Option("derive", "d", "NAME=EXPR",
               help="a new column: 'x=bandwidth/bandwidth[variant=memcpy]'; may be repeated"),
        Option("sort", "s", "NAME,-NAME", help="order of the rows, ascending; descending with -"),
        Option("limit", "n", "COUNT", help="only the first rows, after sorting"),
        Option("format", "f", "FORMAT", words=("text", "tsv", "csv", "json", "jsonl", "md", "latex"),
               help="SI units in tsv, csv, json and jsonl, scaled units in text, md and latex; default: text on a terminal, "
               "tsv otherwise"),
        Option("canaries", help="also the repeated points that monitor drift"),
    ),
    run="pivots.run",
)


REPORT = Command(
    "report", "FILE.h5...", 1, 64, "ten lines of findings; best variants, model errors, run time",
    """Without options: ten lines on how near families come to their roofs, to the vendor's kernels, and to the models.

--findings prints the best variant of each family, its share of the roof, the vendor's result for the same work,
the knees of curves, and how the counters agree with the formulas of the access model.

--model compares predicted columns with hardware counters and lists the points that disagree. The tolerance is 0
for counts per request, 0.1 % for totals and 2 % for DRAM.

--bounds prints what limits each kernel by the time model, and the points whose time is off by more than 15 %,
worst first. --profile replaces the device's own numbers by a profile (warpsweep profile). --reference adds a
baseline without fitted constants: the times of another device, with the share bound by DRAM scaled by the copy roofs.
""",
    """  warpsweep report results.h5
  warpsweep report hopper.h5 blackwell.h5 --findings --format latex >findings.tex
  warpsweep report results.h5 --model
  warpsweep report results.h5 --time
""",
    (
        Option("format", "f", "FORMAT", "md", ("md", "latex"), "Markdown, or LaTeX for \\input"),
        Option("findings", help="the best variant of each family, knees of curves, formulas"),
        Option("model", "m", help="compare the access model with hardware counters, per kernel"),
        Option("bounds", "b", help="compare the time model with measured times, and show the bounds"),
        Option("profile", "", "FILE", help="with --bounds: this device profile instead of the file's own numbers"),
        Option("code", "", "WHAT", "counted", ("none", "compiled", "counted"), "with --bounds: what is known of code"),
        Option("reference", "", "FILE.h5", help="with --bounds: a file of another device, whose scaled times are a baseline"),
        Option("roofs", help="measured roofs with their ranges, beside the data sheet"),
        Option("time", help="run time by phase, rank and family"),
    ),
    run="report.run")


SHOW = Command(
    name="show", operands="ID FILE.h5", minimum=2, maximum=2,
    summary="print all data of one point: columns, device, samples, machine code",
    details="""ID is the value of the column `id`, or its first digits if no other point begins with them. Columns
are grouped by role and printed with unit and meaning; missing ones are listed at the end. The
samples are printed as a histogram.

The machine code is compiled by this build for the architecture of the point's device. It shows
registers, the main loop, memory accesses, and whether the family's claims hold. This needs
nvdisasm.
""",
    examples="""  warpsweep show 1ab3c62c802db7c5 results.h5
  warpsweep show 1ab3 results.h5 --no-code
""",
    options=(
        Option("arch", "a", "ARCH", help="architecture of the machine code; default: that of the point or its device"),
        Option("no-code", help="without machine code"),
        Option("kernels", value="DIR", help="folder of your own kernels: NAME.py, or NAME.so with NAME.cu or NAME.code"),
    ),
    run="show.run",
)

COMMANDS = {command.name: command for command in (COMPARE, HISTORY, JUDGE, PIVOT, REPORT, SHOW)}
