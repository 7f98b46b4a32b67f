#!/usr/bin/env bash
# jobs/first_day.yaml and examples/blackwell/first_day.py, on predictions: nothing here was measured.
source "$(dirname "$0")/setup.sh"
cd "$D"
export PYTHONPATH=$SOURCE/python/src
check() { python3 "$SOURCE/examples/blackwell/first_day.py" "$@"; }
"$WARPSWEEP" predict "$SOURCE/jobs/first_day.yaml" --profile b300 -o b300.h5 >/dev/null 2>errors || {
    grep -q 'h5py\|pandas' errors && { echo "skipped: no Python with h5py and pandas"; exit 77; }
    fail "predict: $(cat errors)"
}
status=0
check b300.h5 >out || status=$?
[[ $status == 1 ]] || fail "exit $status: $(cat out)" # latencies are not predicted
grep -Eq '^DRAM read .* 7.20 to 7.37 TB/s .*as published$' out || fail "DRAM: $(cat out)"
grep -Eq '^SMs  *148 .*as published$' out || fail "SMs: $(cat out)"
grep -Eq '^latency of L1 .*missing$' out || fail "L1: $(cat out)"
status=0
check b300.h5 B9000 >out 2>errors || status=$?
[[ $status == 2 ]] && grep -q 'B200, B300, RTX 5090' errors || fail "exit $status: $(cat errors)"
