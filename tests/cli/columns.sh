#!/usr/bin/env bash
# A measured column more changes no table, report, comparison or figure: all that is shown of a file is the same,
# byte for byte, when columns that are no axes join it.
source "$(dirname "$0")/setup.sh"
cd "$D"
mkdir before after
cp "$SOURCE/analysis/data/h200-copy.h5" before/copy.h5
python=$(find_python 'h5py, numpy')
mv s.h5 before
cp before/*.h5 after
"$python" - after/*.h5 <<'PYTHON'
"""Add columns that no release has: whole numbers and words that differ from row to row, of roles that are no axis'."""
import sys
import zlib

import h5py
import numpy

NEW = (("retries_new", "<i8", b"sampling"), ("power_state", "S2", b"environment"), ("tag", "<i8", b"other"))


def rewrite(file, table, rows):
    checked = "crc32" in file[table].attrs
    del file[table]
    file[table] = rows
    if checked:
        file[table].attrs["crc32"] = numpy.int64(zlib.crc32(rows.tobytes()))


for path in sys.argv[1:]:
    with h5py.File(path, "r+") as file:
        old, count = file["results"][:], len(file["results"])
        rows = numpy.zeros(count, [(name, old.dtype[name]) for name in old.dtype.names] + [(name, kind) for name, kind, _ in NEW])
        for name in old.dtype.names:
            rows[name] = old[name]
        rows["retries_new"] = numpy.arange(count) % 5
        rows["power_state"] = numpy.where(numpy.arange(count) % 2, b"P0", b"P1")
        rows["tag"] = numpy.arange(count)
        rewrite(file, "results", rows)
        columns = file["columns"][:]
        for name, _, role in NEW:
            one = numpy.zeros(1, columns.dtype)
            one["table"], one["name"], one["role"], one["meaning"] = b"results", name, role, b"measured"
            columns = numpy.concatenate((columns, one))
        rewrite(file, "columns", columns)
PYTHON
[[ $(reader table after/copy.h5 -c tag,retries_new,power_state | sort -u | wc -l) -gt 100 ]] ||
    fail "the columns are not there"

show() { # show NAME ARGUMENT...: in both folders, the same
    for side in before after; do
        (cd $side && reader "${@:2}" >"$1.out" 2>"$1.errors") || (($? == 1)) || fail "$*: $(<"$side/$1.errors")"
    done
    diff -u "before/$1.out" "after/$1.out" || fail "warpsweep ${*:2} shows the columns"
    [[ -s before/$1.out ]] || fail "warpsweep ${*:2} shows nothing"
}
for name in s copy; do
    show "table $name" table $name.h5
    show "status $name" status $name.h5
done
show "model copy" report copy.h5 --model
show "report copy" report copy.h5
show "compare s" compare s.h5 s.h5 --points -f tsv
# A file against one with more columns: every point finds its own.
reader compare before/copy.h5 after/copy.h5 --points -f tsv >table 2>/dev/null
! grep -q 'only in' table || fail "points are left alone: $(grep 'only in' table)"

# Every role is in the documentation.
roles=$(sed -n 's/^ *X([A-Z]*, "\([a-z]*\)".*/\1/p' "$SOURCE/src/core/column.h")
[[ $(wc -w <<<"$roles") -ge 12 ]] || fail "only these roles: $roles"
for role in $roles; do
    grep -q "^| \`$role\` |" "$SOURCE/docs/results-file.md" || fail "docs/results-file.md does not have the role $role"
done

command -v gnuplot >/dev/null || { echo "no gnuplot: figures are not compared"; exit 0; }
drawn=0
for side in before after; do
    (cd $side && reader plot copy.h5 -o copy --data -f svg --figure copy_stride --figure copy_size >copy.figures) ||
        fail "plot $side/copy.h5"
done
diff -u before/copy.figures after/copy.figures || fail "not the same figures"
for figure in before/copy/*.{tsv,svg}; do
    cmp "$figure" "after/${figure#before/}" || fail "another $figure"
    drawn=$((drawn + 1))
done
((drawn >= 4)) || fail "only $drawn files of figures"
