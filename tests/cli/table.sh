#!/usr/bin/env bash
# Every format against its golden file. WRITE_GOLDEN=1 writes them anew, to be looked at before they are committed.
source "$(dirname "$0")/setup.sh"
compare() { # compare NAME ARGUMENT...
    local golden=$HERE/golden/$1
    shift
    "$WARPSWEEP" table "$D/s.h5" "$@" >"$D/out"
    [[ -z ${WRITE_GOLDEN:-} ]] || cp "$D/out" "$golden"
    diff -u "$golden" "$D/out" || fail "table $* differs from $golden"
}
for format in tsv csv json md latex; do
    # texts to escape, missing numbers, a device's column, an order that is not the file's
    compare "odd.$format" -f "$format" -w stride=1,2,64 -w dtype=f32 -w vector=1,32 -w variant=load -w offset=0 \
        -w size=256MiB -s status,stride -c stride,vector,size,status,message,time_median,bandwidth,device.name
    compare "default.$format" -f "$format" -k copy -w vector=1 -w variant=load -w offset=0 -w size=256MiB -w dtype=u8,f64
done
compare canaries.tsv --canaries -w stride=2 -w dtype=f32 -c repeat,stride,time_median -s repeat

# What scripts rely on: JSON that a parser takes, CSV that reads back.
"$WARPSWEEP" table "$D/s.h5" -c all -f json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
failed = [row for row in rows if row["status"] == "failed"]
assert len(rows) > 40 and len(failed) == 1, len(rows)
assert failed[0]["time_median"] is None and "says \"no\" | 50% of a_b\\c" in failed[0]["message"], failed[0]'
"$WARPSWEEP" table "$D/s.h5" -c all -f csv | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
failed = [row for row in rows if row["status"] == "failed"]
assert len(rows) > 40 and failed[0]["time_median"] == "nan", failed
assert "says \"no\" | 50% of a_b\\c" in failed[0]["message"], failed[0]'
