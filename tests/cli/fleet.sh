#!/usr/bin/env bash
# report --fleet: one GPU of 64 that is 3 % slow is found, and no other is accused (in hundreds of seeds:
# tests/unit/test_fleet.c); the variance comes apart as it was put together.
source "$(dirname "$0")/setup.sh"
cd "$D"
fleet() { # fleet EXIT ARGUMENT...: of made-up devices; the report is in `out`
    local wanted=$1 status=0
    shift
    rm -f fleet.h5
    "$MAKE_REPLICATES" fleet.h5 "$@"
    "$WARPSWEEP" report fleet.h5 --fleet >out 2>errors || status=$?
    [[ $status == "$wanted" ]] || fail "fleet $*: exit $status, not $wanted: $(<errors) $(<out)"
}
for seed in 1 2 3; do
    slow=$((seed * 17))
    fleet 1 $seed devices=64 nodes=16 points=8 slow=$slow
    [[ $(grep -c OUTLIER out) == 1 ]] || fail "seed $seed: $(grep OUTLIER out)"
    grep -q "^| 1 | $slow | node.*| OUTLIER: slow |" out || fail "seed $seed, device $slow: $(grep OUTLIER out)"
done
grep -q '64 devices on 16 nodes' out || fail "$(<out)"
fleet 0 4 devices=16 nodes=4 points=8
! grep -q OUTLIER out || fail "nobody is slow: $(grep OUTLIER out)"

# Levels as they were made: 2 % a GPU, 1 % a process at a point, 0.5 % a sample.
fleet 0 5 devices=32 nodes=4 points=32 device=0.02 common=0 own=0.01
grep -Eq '^\| GPU \| (1\.[5-9]|2\.[0-5])' out || fail "$(grep '^| GPU' out)"
grep -Eq '^\| process \| (0\.9|1\.0)' out || fail "$(grep '^| process' out)"
grep -Eq '^\| sample \| 0\.[45]' out || fail "$(grep '^| sample' out)"
# What cannot be known is said, not 0.
fleet 0 6 devices=4 points=8 processes=1
grep -q '^| node | - | - | one node |' out || fail "$(grep '^| node' out)"
grep -q '^| process | - | - | one process a device |' out || fail "$(grep '^| process' out)"
grep -q 'an outlier may be gone in the next run' out || fail "one process: $(<out)"
fleet 0 7 devices=2 points=8
grep -q 'ranking needs three devices' out || fail "two devices: $(<out)"
fleet 1 8 devices=12 points=8 slow=3 slower=-0.1
grep -q 'OUTLIER: fast' out || fail "a fast one: $(<out)"
"$WARPSWEEP" report fleet.h5 --fleet -f latex >out || (($? == 1))
grep -q 'OUTLIER: fast' out && grep -q '\\begin{tabular}' out || fail "no LaTeX: $(<out)"
# What does not matter is no outlier.
"$WARPSWEEP" report fleet.h5 --fleet --threshold 20% >out || fail "10 % is an outlier by a threshold of 20 %"
