#!/usr/bin/env bash
# Every format against its golden file; those of papers are of pivot, which is Python's. WRITE_GOLDEN=1 writes them anew, to be looked at before they are committed.
source "$(dirname "$0")/setup.sh"
compare() { # compare NAME ARGUMENT...
    local golden=$HERE/golden/$1
    shift
    reader "${command:-table}" "$D/s.h5" "$@" >"$D/out"
    [[ -z ${WRITE_GOLDEN:-} ]] || cp "$D/out" "$golden"
    diff -u "$golden" "$D/out" || fail "table $* differs from $golden"
}
for format in tsv csv json md latex; do
    case $format in md | latex) command=pivot ;; *) command=table ;; esac
    # texts to escape, missing numbers, a device's column, an order that is not the file's
    compare "odd.$format" -f "$format" -w stride=1,2,64 -w dtype=f32 -w vector=1,32 -w variant=load -w offset=0 \
        -w size=256MiB -s status,stride -c stride,vector,size,status,message,time_median,bandwidth,device.name
done
command=table
compare default.tsv -k copy -w vector=1 -w variant=load -w offset=0 -w size=256MiB -w dtype=u8,f64 # columns that it chooses
compare canaries.tsv --canaries -w stride=2 -w dtype=f32 -c repeat,stride,time_median -s repeat

# Conditions: operators, ranges, alternatives of one column; an order from above, some rows, a pivot.
load=(-k copy -w variant=load -w offset=0 -w size=256MiB -w vector=1)
compare where.tsv "${load[@]}" -w 'stride>=4' -w 'stride<=32' -w stride!=16 -w dtype=u8 -w dtype=f64 -c dtype,stride
compare range.tsv "${load[@]}" -w stride=1..2,137 -w dtype!=f32 -c dtype,stride
compare top.tsv "${load[@]}" -w dtype=u8 -s -bandwidth,stride -n 3 -c stride,bandwidth
command=pivot
compare share.tsv "${load[@]}" -w dtype=u8 -d 'x=(2 * bandwidth - bandwidth[stride=1]) / -bandwidth[stride=1]' -c stride,x
for format in tsv latex; do
    compare "pivot.$format" "${load[@]}" -w dtype=u8,f64 -p rows=stride,cols=dtype,value=bandwidth -f "$format"
done

# What scripts rely on: JSON that a parser takes, CSV that reads back.
reader table "$D/s.h5" -c all -f json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
failed = [row for row in rows if row["status"] == "failed"]
assert len(rows) > 40 and len(failed) == 1, len(rows)
assert failed[0]["time_median"] is None and "says \"no\" | 50% of a_b\\c" in failed[0]["message"], failed[0]'
reader table "$D/s.h5" -c all -f csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
failed = [row for row in rows if row["status"] == "failed"]
assert len(rows) > 40 and failed[0]["time_median"] == "nan", failed
assert "says \"no\" | 50% of a_b\\c" in failed[0]["message"], failed[0]'

# What is missing comes last in either direction; no rows because of --limit 0 is no failed condition.
for sort in time_median -time_median; do
    reader table "$D/s.h5" -s $sort -c time_median -f tsv | sed 1d >out
    has -x nan out || fail "nothing is missing"
    [[ $(grep -n -m 1 -x nan out | cut -d: -f1) -gt $(grep -vnx nan out | tail -n 1 | cut -d: -f1) ]] || fail "missing first: $sort"
done

# The best point tells its axes; of each value of a column.
reader table "$D/s.h5" -k copy --top 1 -f csv | sed -n 1p | grep 'dtype.*stride' >/dev/null || fail "the best point without its axes"
[[ $(reader table "$D/s.h5" --top 1 --per dtype -c dtype | sed 1d | sort | uniq -d | wc -l) == 0 ]] || fail "the best of each type"
reader table "$D/s.h5" -c all --limit 0 2>&1 | has 'no row' && fail "it claims that no row matches"
exit 0
