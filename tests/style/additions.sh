#!/usr/bin/env bash
# additions.sh SOURCE CMAKE C_COMPILER WITH_CUDA - each addition that CONTRIBUTING.md promises to be small is made in a copy
# of the sources. Its diff is counted and compared with the table there; then all are built together and used.
set -euo pipefail
source=$1 cmake=$2 compiler=$3 with_cuda=$4
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d "${TMPDIR:-/tmp}/warpsweep.XXXXXX")
trap 'rm -rf "$folder"' EXIT
tree=$folder/tree
fail() { echo "$*" >&2; exit 1; }
has() { grep "$@" >/dev/null; } # reads to the end: with pipefail, grep -q would fail the program that still writes

mkdir "$tree"
for entry in "$source"/*; do
    [[ ${entry##*/} == build* || ${entry##*/} == quickstart-out ]] || cp -r "$entry" "$tree"
done
cd "$tree"

# ---- The additions. `insert FILE LINE TEXT` adds a line after the first one that contains LINE.
insert() {
    local line
    line=$(grep -nF -m 1 -- "$2" "$1" | cut -d: -f1) || fail "$1 has no line with $2"
    TEXT=$3 perl -i -pe '$_ .= "$ENV{TEXT}\n" if $. == '"$line" "$1"
}

add_family() { # the example of a user's family, moved into the tree under another name
    mkdir kernels/triple
    sed 's/triad/triple/g' "$source/examples/family/triad.cu" >kernels/triple/triple.cu
    sed -e '/^const int warpsweep_family_abi/d' -e 's/^const struct family warpsweep_family/const struct family family_triad/' \
        -e 's/\.source = NULL,.*/.source = triad_source,/' -e '/^#include <stdio.h>/a extern const char triad_source[];' \
        "$source/examples/family/triad.c" | sed 's/triad/triple/g' >kernels/triple/triple.c
    insert kernels/registry.c 'X(add) ' '    X(triple) \'
}

add_column() {
    insert src/core/result.h 'X(bytes_written, WORK' '    X(bytes_useful, WORK, "bytes", "bytes_read + bytes_written") \'
    insert src/worker/stages.c 'real[REAL_bytes_written] =' \
        '    trial->result->real[REAL_bytes_useful] = (double)(work.bytes_read + work.bytes_written);'
}

add_command() {
    cat >src/cli/hello.c <<'CODE'
/* hello - a greeting. */
#include "cli/command.h"

static const struct command_option options[] = {{0}};

static int run(const struct arguments *arguments, struct error *error)
{
    (void)error;
    printf("hello, %s\n", arguments->operand[0]);
    return EXIT_FINE;
}

const struct command command_hello = {
    .name = "hello",
    .operands = "NAME",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "print a greeting",
    .examples = "  warpsweep hello reader\n",
    .options = options,
    .run = run,
};
CODE
    insert src/cli/command.h 'X(kernels) ' '    X(hello) \'
}

add_figure() {
    cat >analysis/triple_size.gp <<'FIGURE'
#: title    Useful bytes of triple against the size of its arrays
#: kernel   triple
#: x        size
#: y        bytes_useful
#: series   variant
FIGURE
}

add_word() { # of an axis of the family that was added
    sed -i 's/"plain", "restrict", NULL/"plain", "restrict", "again", NULL/' kernels/triple/triple.c
    sed -i 's/^#elif defined(variant_restrict)/& || defined(variant_again)/' kernels/triple/triple.cu
}

add_unit() {
    insert python/src/warpsweep/units.py '("Hz", "MHz"' '        ("bytes", "PB", "PB", 1e15, 1e15),'
}

add_reader() {
    cat >python/src/warpsweep/counting.py <<'CODE'
"""The command ``count``: how many rows files have."""

from __future__ import annotations

import pandas as pd

from .frames import Paths, frame
from .options import Arguments


def count(*paths: Paths) -> pd.Series:
    """Rows of each status."""
    return frame(paths)["status"].value_counts()


def run(arguments: Arguments) -> int:
    """Run the command; returns its exit code."""
    for status, rows in count(*arguments.operands).items():
        print(status, rows)
    return 0
CODE
    TEXT='        Command(
            "counting.run",
            "FILE.h5...",
            """\
warpsweep count - how many rows files have

Prints the number of rows of each status.

Options:

Examples:
  warpsweep count results.h5
""",
        ),' perl -0pi -e 's/    for command in \(\n/$&$ENV{TEXT}\n/' python/src/warpsweep/commands.py
    insert src/cli/readers.c '{"show", ' '    {"count", "how many rows files have"},'
    sed -i 's/^face: table /face: counting table /' python/floors.txt
    insert python/src/warpsweep/__init__.py '"judge": "diagnosis",' '    "count": "counting",'
}

add_backend() {
    mkdir src/worker/constant
    cat >src/worker/constant/constant_backend.c <<'CODE'
/* constant_backend.c - a back end that gives every launch the same time. */
#include "worker/backend.h"

#include <math.h>
#include <stdio.h>

static int constant_open(int local_rank, struct device *device, struct error *error)
{
    (void)error;
    snprintf(device->name, sizeof device->name, "constant");
    snprintf(device->backend, sizeof device->backend, "constant");
    snprintf(device->uuid, sizeof device->uuid, "constant-%d", local_rank);
    return 0;
}

static void constant_configure(const struct config *config)
{
    (void)config;
}

static void constant_take(struct trial *trial, uint32_t count, struct sample *samples)
{
    (void)trial;
    for (uint32_t i = 0; i < count; i++)
        samples[i] = (struct sample){.seconds = 1e-3, .sm_clock = NAN};
}

static void constant_close(void) {}

const struct backend backend_constant = {
    .name = "constant",
    .traits = {.makes_up = true},
    .open = constant_open,
    .configure = constant_configure,
    .take = constant_take,
    .close = constant_close,
};
CODE
    insert src/protocol/traits.h 'X(host) ' '    X(constant) \'
    insert cmake/modules.txt 'worker/host: ' 'worker/constant:        worker'
    sed -i '/^worker\/program:/s/$/ worker\/constant/' cmake/modules.txt
}

add_counter() {
    insert src/core/metric.c 'const struct metric metrics[] = {' \
        '    COUNT("shared_atomics", "requests", "atomics on shared memory", SHARED, "smsp__inst_executed_op_shared_atom.sum"),'
}

# ---- Each diff against the table in CONTRIBUTING.md
wrong=0
count() { # count NAME WHAT: runs add_NAME
    local files lines row
    rm -rf "$folder/before"
    cp -r "$tree" "$folder/before"
    "add_$1"
    files=$({ diff -rqN --no-dereference "$folder/before" "$tree" || true; } | awk '{print $4}' | while read -r file; do
        [[ -e $folder/before/${file#"$tree/"} ]] || echo "$file"
    done | wc -l)
    lines=$({ diff -r --no-dereference "$folder/before" "$tree" || true; } | grep -c '^>') || true
    printf '%-17s new files: %d, lines in other files: %d\n' "$2" "$files" "$lines"
    row=$(grep -F "| $2 |" "$source/CONTRIBUTING.md") || fail "CONTRIBUTING.md does not have the row $2"
    [[ $row == "| $2 | $files | $lines |"* ]] || { echo "CONTRIBUTING.md says: $row"; wrong=1; }
}
count family 'a kernel family'
count column 'a measured column'
count command 'a sub-command'
count figure 'a figure'
count word 'a word of an axis'
count unit 'a unit'
count reader 'a command that reads files'
count backend 'a back end'
count counter 'a counter'
((wrong == 0)) || fail "the table in CONTRIBUTING.md is wrong"

# ---- One build with all of them
"$cmake" -G Ninja -S "$tree" -B "$folder/build" -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF -DCMAKE_C_COMPILER="$compiler" \
    -DWARPSWEEP_WITH_CUDA="$with_cuda" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "it does not configure"; }
"$cmake" --build "$folder/build" --target warpsweep warpsweep-worker >"$folder/log" 2>&1 ||
    { tail -n 40 "$folder/log"; fail "it does not build"; }

# ---- And each is of use
cd "$folder"
export WARPSWEEP_CACHE=$folder/cache
warpsweep() { "$folder/build/bin/warpsweep" "$@"; }
cat >job.yaml <<'JOB'
title: The family that was added
counters: none
timing: {max_time: 20ms, min_samples: 3, max_samples: 20, replicates: 1}
sweeps:
  - kernel: triple
    axes: {size: [64KiB, 128KiB, 256KiB], variant: [plain, restrict]}
JOB
warpsweep kernels triple | has 'default: 64MiB' || fail "kernels triple: the axes are missing"
warpsweep check job.yaml | has '^triple: 6 points' || fail "check does not expand the job: $(warpsweep check job.yaml)"
warpsweep run job.yaml -o host.h5 --backend host >log 2>&1 || { cat log; fail "run --backend host fails"; }
[[ $(warpsweep table host.h5 -f tsv -c size,status,bytes_useful | grep -cP '^65536\tok\t196608$') == 2 ]] ||
    fail "table does not show the column: $(warpsweep table host.h5 -f tsv -c size,status,bytes_useful)"
warpsweep run job.yaml -o words.h5 --backend host --set variant=again >log 2>&1 || { cat log; fail "the word is not known"; }
[[ $(warpsweep pivot words.h5 -w variant=agian 2>&1) == *"did you mean 'again'"* ]] || fail "readers do not know the word"
[[ $(PYTHONPATH=$tree/python/src python3 -c 'from warpsweep.units import scaled; print(scaled(2e15, "bytes"))') == '2.000 PB' ]] ||
    fail "the unit is not used"
[[ $(warpsweep count host.h5) == 'ok 6' ]] || fail "the reading command does not run: $(warpsweep count host.h5 2>&1)"
python3 "$tree/tests/style/floors.py" "$tree" >log 2>&1 || { cat log; fail "the reading command is on no floor"; }
[[ $(warpsweep hello reader) == 'hello, reader' ]] || fail "the command does not run"
warpsweep --help | has '^ *hello  *print a greeting' || fail "the help does not list the command"
if command -v gnuplot >/dev/null; then
    warpsweep plot host.h5 -o figures -f svg >log 2>&1 || { cat log; fail "plot fails"; }
    has '</svg>' figures/triple_size.svg || fail "the figure is not drawn: $(<log)"
else
    echo "no gnuplot: the figure is not drawn"
fi
warpsweep run job.yaml -o constant.h5 --backend constant >log 2>&1 || { cat log; fail "run --backend constant fails"; }
[[ $(warpsweep table constant.h5 -f tsv -c time_median | grep -c '^0\.001$') == 6 ]] ||
    fail "the back end's times are missing: $(warpsweep table constant.h5 -f tsv -c time_median)"
warpsweep counters | has '^  shared_atomics  *atomics on shared memory (requests)' || fail "counters does not list the counter"
