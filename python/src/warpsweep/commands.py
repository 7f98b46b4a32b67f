"""The commands that read results files: each is its text of --help, from which its options and operands are read.

Nothing else is imported before a command starts, so that help and usage errors answer at once."""

from __future__ import annotations

from .options import Command

COMMANDS = {
    command.name: command
    for command in (
        Command(
            "comparing.run",
            "A.h5 [B.h5]",
            """\
warpsweep compare - compare two results files, two versions or two values of a column, with verdicts

Compares B with A point by point: faster, slower, same or uncertain. The intervals include samples, processes and
devices, and are corrected for the number of points. Points are paired by id, or by kernel and axis values; with --by
by all other axes. One file of a paired run (run --kernels a=DIR --kernels b=DIR) is compared without --by. The
assumptions are printed below the table, or on stderr with all formats but text. With --published, one file is placed
beside the values that others have published of its device, each with its source.

Exit code: 1 if no point was measured on both sides. With --fail-above, 1 also if a point is slower by more than that,
or only A has measured it. 2 if the times are not comparable and --mixed is not given.

Options:
  -k, --kernel NAME          only this kernel's points
  -w, --where COLUMN=V,V     only rows with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated
      --points               list points instead of families
  -b, --by NAME,NAME         in one file: compare the values of an axis, of several axes, or the devices
      --baseline VALUE       in one file: the value or version to compare with; default: the first
  -t, --threshold SHARE      the smallest difference that matters; default: 1%, of pairs 0.1%, and not above --fail-above
      --fail-above SHARE     exit code 1 if a point is slower by more than this; for CI
      --mixed                allow different cache states, back ends or timers
      --published            compare one file with published values of its device
  -f, --format FORMAT        text; tsv, csv and json in SI units; md and latex in scaled units: text, tsv, csv, json, md, \
latex [text]

Examples:
  warpsweep compare hopper.h5 blackwell.h5
  warpsweep compare before.h5 after.h5 --points -f tsv | awk '$NF == "slower"'
  warpsweep compare before.h5 after.h5 --fail-above 5%
  warpsweep compare results.h5 -k copy --by variant,vector --baseline memcpy,1
""",
        ),
        Command(
            "histories.run",
            "FILE.h5...",
            """\
warpsweep history - many runs of one job: when times changed, and what else did

Sorts the files of one product by their start, and compares each run with the one before: which points take longer or
shorter, by how much, and what else changed: unit, host, driver, toolkit, firmware, commit.

Exit code: 1 if the last change of a point made it slower; 2 for fewer than three files, or files of several products.

Options:
  -t, --threshold SHARE      the smallest change that matters [1%]
      --points               list every point that changed
  -f, --format FORMAT        Markdown, LaTeX for \\input, or JSON: md, latex, json [md]

Examples:
  warpsweep history good*.h5 results.h5 --points -f latex >history.tex
""",
        ),
        Command(
            "judging.run",
            "FILE.h5 [GOOD.h5]...",
            """\
warpsweep judge - is this machine right? A results file against those of good devices

Compares each device of a file with devices of the same product that are known to be good: the times of each part of
the machine, and what the driver tells of clocks, power limit, ECC, PCIe and NVLinks. Without GOOD.h5, these are two
H100s and two H200s that ship with warpsweep; your own are results files of jobs/judge.yaml: the more, the better.

A part is slow if it is slower by more than the threshold than in the nearest reference of its kind. It is also slow if
one of its points is slower than in every reference by 5 % (in shared memory's or L1's latency 6 %, of links the
threshold). The threshold is at least 1.5 % for links and the latency of DRAM and 3 % for that of L2. Without a reference
of the kind it is at least 5 % for links and 10 % for these latencies.
With --fleet, the devices of one product in one run (`timing: {devices: all}`) are held against each other instead.

Exit code: 1 if a part is slow, a property of the hardware is wrong, or the file is not good (warpsweep status). With
--fleet, 1 also for an outlier, or a device that lacks points of the others. 1 also if no reference has points of a part
that the file has measured, or other programs computed on the device. Parts that the file has not measured do not count.
2 if there is no reference.

Options:
  -t, --threshold SHARE      the smallest difference that matters [1%]
  -f, --format FORMAT        Markdown, LaTeX for \\input, or JSON: md, latex, json [md]
      --fleet                the devices of one run against each other
  -q, --quiet                print devices with a deviation only

Examples:
  mpirun -n 8 warpsweep run jobs/judge.yaml -o node17.h5
  warpsweep judge node17.h5 good1.h5 good2.h5
  warpsweep judge cluster.h5 --fleet
""",
        ),
        Command(
            "paper.run",
            "FILE.h5...",
            """\
warpsweep paper - write all figures, tables and the method as a LaTeX paper and a web page

Writes DIR/paper.tex with figures/, tables/ and sections/, which can be used in other papers. `latexmk -pdf paper.tex`
compiles it (Debian and Ubuntu: latexmk texlive-latex-recommended lmodern). DIR/index.html shows the same.

DIR must not exist, or be empty. It is complete, or it is not created.

Exit code: 1 if no point of the files is ok: the paper says so.

Options:
  -o, --output DIR           the folder to write
      --title TEXT           title of paper and page; Greek letters and signs of physics become mathematics
      --full                 add an appendix with every table and figure to the paper
  -v, --verbose              the reason for each figure that is skipped
      --analysis DIR         your copy of the folder analysis/, with other figures, words or layout

Examples:
  warpsweep paper hopper.h5 blackwell.h5 -o paper --title 'Two generations'
""",
        ),
        Command(
            "artifact.run",
            "FILE.h5...",
            """\
warpsweep artifact - write what an evaluation committee gets with a paper, or check it

Writes DIR/ad-ae.tex, the appendix for the committee; the paper, its claims, the results files, their jobs, and sources of
your own kernels; and two scripts. DIR/check needs no GPU: it verifies all checksums, makes figures, tables, text and claims
again from the results files, and compares. DIR/measure measures again, and reproduces the claims. What no file holds comes
from the options, or is marked as to be filled in.

Exit code: with --check, 1 if the artifact is not whole, or something in it does not follow from its results files.

Options:
  -o, --output DIR           the folder to write; with --check: a new folder for what is made again
      --check                check an artifact instead of making one: its folder is the operand
      --title TEXT           title of the paper
      --author NAME          an author as 'Family, Given (Affiliation)'; may be repeated; a blind paper has none
      --license ID           the licence of your results, paper and kernels, as SPDX names it: CC-BY-4.0
      --doi DOI              the identifier of the archived artifact
      --source URL           where this warpsweep is available
      --analysis DIR         your copy of the folder analysis/, with other figures, words or layout

Examples:
  warpsweep artifact hopper.h5 blackwell.h5 -o artifact --title 'Two generations' --license CC-BY-4.0
  warpsweep artifact --check artifact
""",
        ),
        Command(
            "table.run",
            "FILE.h5",
            """\
warpsweep table - print rows and columns of a results file, or its best points

Shows by default the kernel, the axes that vary, the status and the main results. A number that was not measured is nan
(tsv, csv), null (json) or a dash (text). --where takes values as job files do: size=64MiB, dtype=f16,f32, status=ok, and
those of tables: time_median>=5us. A comma within a word is written \\,. All conditions must hold; several with = on one
column are alternatives.

--top ranks the points that are ok: by the share of their roof, others by what their kernel measures (bandwidth, flop/s,
latency, time). Each kernel has its best points, and each kind of its points that are not comparable; controls count only
if a kernel has nothing else. -w status=ok -s COLUMN -n COUNT ranks by any column.

Options:
  -k, --kernel NAME          only this kernel's points
  -w, --where COLUMN=V,V     only rows with one of these values, nan: missing; also =A..B, !=, <, <=, >, >=; may be repeated
  -c, --columns NAME,NAME    columns to show, or all; device.NAME comes from /devices
  -s, --sort NAME,-NAME      order of the rows, ascending; descending with -
  -n, --limit COUNT          only the first rows, after sorting
      --top COUNT            only the best points of each kernel, best first
      --per NAME,NAME        with --top: of each kernel, the best points of each value of these columns: dtype, size ...
  -f, --format FORMAT        text on a terminal, else tsv; text scales units, others have SI units: text, tsv, csv, json
      --canaries             also the repeated points that monitor drift

Examples:
  warpsweep table results.h5 -k copy -c stride,bandwidth,device.peak_copy -s stride
  warpsweep table results.h5 -w status=failed,crashed,timed_out -c id,kernel,status,message
  warpsweep table results.h5 -k copy -w 'stride<=8' -w size=1MiB..1GiB -s -bandwidth -n 10
  warpsweep table results.h5 --top 10 -k copy -w size=1GiB
  warpsweep table results.h5 --top 1 --per dtype -c kernel,dtype,variant,bandwidth,id
""",
        ),
        Command(
            "pivots.run",
            "FILE.h5...",
            """\
warpsweep pivot - tables of results files for papers: pivots, Markdown, LaTeX, derived columns

Without --parts it prints rows, by default the kernel, the axes that vary, the status and the main results. In --derive,
COLUMN[AXIS=VALUE,...] is the value of the point that differs only in these axes.

Options:
  -k, --kernel NAME          only this kernel's points
  -w, --where COLUMN=V,V     only rows with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated
  -p, --parts PARTS          rows=NAME,cols=NAME,value=NAME: a row per value of one column, a column per value of another
  -c, --columns NAME,NAME    columns to show, or all; device.NAME comes from /devices
  -d, --derive NAME=EXPR     a new column: 'x=bandwidth/bandwidth[variant=memcpy]'; may be repeated
  -s, --sort NAME,-NAME      order of the rows, ascending; descending with -
  -n, --limit COUNT          only the first rows, after sorting
  -f, --format FORMAT        text on a terminal, else tsv; text, md and latex scale units: text, tsv, csv, json, md, latex
      --canaries             also the repeated points that monitor drift

Examples:
  warpsweep pivot h100.h5 h200.h5 -w variant=memcpy -w cache=cold -p rows=size,cols=device.name,value=bandwidth
  warpsweep pivot results.h5 -k copy -w variant=load -d 'share=bandwidth/bandwidth[stride=1]' -c size,stride,share
""",
        ),
        Command(
            "plots.run",
            "[FILE.h5]...",
            """\
warpsweep plot - draw figures of results files with gnuplot

Draws each figure whose data is in the files; the others are skipped, with -v with a reason. NAME.caption.tex and
NAME.caption.txt describe the data, the device and the intervals.

Exit code: 0 if figures were drawn, 1 if none was drawn or one selected with --figure was skipped.

Options:
  -o, --output DIR           the folder to draw into; created if missing
  -F, --figure NAME          only this figure; may be repeated
      --list                 print the names and titles of the figures
      --x COLUMN             a figure of your own: the column along x, words too; needs --y
      --y COLUMN             the column along y, such as bandwidth or time_median
      --by COLUMN            one curve for each value; may be repeated; default: variant
      --panel COLUMN         one panel for each value
      --log                  a logarithmic y axis
  -k, --kernel NAME          only points of this family
  -w, --where COLUMN=V,V     only points with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated
      --width LENGTH         width of the page in in, cm, mm or pt: 3.4in is one column, 7in two [3.4in]
      --caption WHERE        in the figure, in files beside it, the same without devices and with the title (default of pdf), or none: in, beside, brief, none
  -f, --format FORMAT        file format: pdf, png, svg [pdf]
      --analysis DIR         folder of your own figures (.gp files)
      --data                 keep NAME.tsv and NAME.gp beside each figure: `gnuplot NAME.gp` draws it again
  -v, --verbose              the reason for each figure that is skipped

Examples:
  warpsweep plot --list
  warpsweep plot results.h5 -o figures --kernel copy --x stride --y bandwidth --by dtype --log
  warpsweep plot hopper.h5 blackwell.h5 -o figures --figure copy_stride --format svg
""",
        ),
        Command(
            "predictions.run",
            "[JOB]",
            """\
warpsweep predict - predict a job's times from a device profile; no GPU needed

Writes a results file of the back end `predicted`. Times and bounds come from the time model (docs/method/model.md)
and the device's profile. Nothing is measured or compiled: instructions are estimated. --kernel, --set and --only make
or change the job, as for run. Standard error says, of each kernel, how many points have no predicted time, and why.

Exit code: 1 if no point has a predicted time.

Options:
  -k, --kernel NAME          instead of a job file: one sweep of this kernel
      --set AXIS=V,V         values of an axis in every sweep that has it; also KERNEL.AXIS=V, timing.KEY=V; may be repeated
      --only AXIS=V,V        only points with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated
      --profile FILE         the device: a profile file, or one of this release, such as b200 [required]
  -o, --output FILE.h5       the results file to write [required]
      --kernels DIR          folder of your own kernels: NAME.py, or NAME.so with NAME.cu or NAME.code

Examples:
  warpsweep predict jobs/copy.yaml --profile b200 -o b200-predicted.h5
  warpsweep predict --kernel transpose --set columns=1024,16384 --profile b200 -o b200.h5
""",
        ),
        Command(
            "profiling.run",
            "FILE.h5...",
            """\
warpsweep profile - extract a device's numbers for predictions from results files

Writes roofs, floors and capacities from /devices, and other values from points of jobs/profile.yaml, links.yaml and
tensor_matmul.yaml, each with its unit, point, and interval. Several files: roofs span all of them, other values are
those of the first file that has them. Two or more runs of one job say how runs and units scatter. Missing values are
listed on stderr. The head of the output names the files.

Options:
  -o, --output FILE          the file to write; default: stdout
      --device ROW           row of /devices [0]

Examples:
  warpsweep run jobs/profile.yaml -o h200-profile.h5
  warpsweep profile h200-profile.h5 -o h200.yaml
  warpsweep profile h200-profile.h5 h200-links.h5 h200-tensor.h5 -o h200-whole.yaml
""",
        ),
        Command(
            "reports.run",
            "FILE.h5...",
            """\
warpsweep report - ten lines of findings; best variants, model errors, run time

Without options: ten lines on how near families come to their roofs, to the vendor's libraries, and to the models.

Options:
  -f, --format FORMAT        Markdown, or LaTeX for \\input: md, latex [md]
      --findings             the best variant of each family, the vendor's result for the same work, formulas
  -m, --model                compare the access model with hardware counters: exactly, totals within 0.1 %, DRAM within 2 %
      --bounds               what limits each kernel by the time model, and the points that are off by more than 15 %
      --profile FILE         with --bounds: this device profile instead of the file's own numbers
      --code WHAT            with --bounds: what is known of code: none, compiled, counted [counted]
      --roofs                measured roofs with their ranges, beside the data sheet
      --textbook             statements of a textbook beside what the files have measured
      --time                 run time by phase, rank and family
      --winners              the fastest way of the same work, in the first file and in each other one; a library's first choice

Examples:
  warpsweep report hopper.h5 blackwell.h5 --findings --format latex >findings.tex
  warpsweep report results.h5 --model
""",
        ),
        Command(
            "reproducing.run",
            "ARTIFACT NEW.h5...",
            """\
warpsweep reproduce - hold the claims of a paper against new measurements of the same points

ARTIFACT is a folder that `warpsweep artifact` has made, or a results file: then the claims are those of its paper. Each
claim is evaluated at its own points in every new file, and the one that fits least decides. Tolerances come from the
scatter between runs and units. A claim is reproduced, not reproduced, uncertain, or not comparable, with the reason. At
most 1 % of those that are called not reproduced are expected to be reproducible. Rates are compared between units of one
board revision, ratios and shares of roofs between all units of a product. An order ("X is faster than Y") is not
reproduced only if the reverse is shown.

Exit code: 0 if all comparable claims are reproduced, 1 if not, if none is comparable, or a point of one has failed.

Options:
  -f, --format FORMAT        Markdown, LaTeX for \\input; a row a claim: md, latex, tsv, csv, json [md]

Examples:
  warpsweep reproduce paper.h5 again.h5 -f csv >verdicts.csv
""",
        ),
        Command(
            "show.run",
            "ID FILE.h5",
            """\
warpsweep show - print all data of one point: columns, device, samples

ID is the value of the column `id`, or its first digits if no other point begins with them. The samples are printed as
a histogram. The last line is the command that prints the point's machine code.

Options:
      --sources DIR          write the sources of all families that are not built in to a new folder, for --kernels

Examples:
  warpsweep show 1ab3c62c802db7c5 results.h5
""",
        ),
    )
}
