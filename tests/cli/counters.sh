#!/usr/bin/env bash
# counters and check --chip: what is counted, and what a chip offers, without a GPU.
source "$(dirname "$0")/setup.sh"
cd "$D"
"$WARPSWEEP" counters >out
for text in coalescing memory shared occupancy stalls roofline atomics cluster 'load_sectors_per_request' 'dram__bytes_read.sum or'; do
    grep -q "$text" out || fail "counters does not tell of $text"
done
printf 'counters: memory\nsweeps: [{kernel: copy}]\n' >memory.yaml
printf 'counters: [dram__bytes_read.sum, sm__cycles_active.avg]\nsweeps: [{kernel: copy}]\n' >own.yaml
printf 'counters: none\nsweeps: [{kernel: copy}]\n' >none.yaml
"$WARPSWEEP" check none.yaml --chip GH100 >out || fail "check --chip without counters"
grep -q 'reads no counters' out || fail "a job without counters: $(cat out)"

# A library that is none, or lacks what is needed, is told of.
refused() { # refused LIBRARY TEXT
    local status=0
    WARPSWEEP_CUPTI=$1 "$WARPSWEEP" counters --chip GH100 >out 2>errors || status=$?
    [[ $status == 3 ]] || fail "CUPTI $1: exit $status: $(cat out errors)"
    grep -q 'needs a build with CUDA' errors && { echo "skipped: this build has no CUDA"; exit 77; }
    grep -qF "$2" errors || fail "CUPTI $1: '$(cat errors)' does not say '$2'"
}
refused "$D/nothing.so" "install the CUDA Toolkit's CUPTI"
refused "$D/none.yaml" 'CUPTI cannot be loaded'
[[ -z ${OLD_CUPTI_LIBRARY:-} ]] || refused "$OLD_CUPTI_LIBRARY" '12.8 or later is needed'
[[ -z ${FAKE_CUPTI_LIBRARY:-} ]] || refused "$FAKE_CUPTI_LIBRARY" 'knows no chip'

if [[ ${SANITIZE:-OFF} == ON ]]; then
    echo "skipped: CUPTI does not load beside AddressSanitizer"
    exit 77
fi
if ! "$WARPSWEEP" counters --chip GH100 >out 2>errors; then
    grep -q 'CUPTI cannot be loaded' errors || fail "$(cat errors)"
    echo "skipped: no CUPTI here"
    exit 77
fi
grep -Eq 'GH100: all [0-9]+ columns of memory, in [1-3] pass' out || fail "$(cat out)"
"$WARPSWEEP" counters --chip GB100 --chip GB202 >out
grep -q '^GB100: all' out && grep -q '^GB202: ' out || fail "$(cat out)"
status=0
"$WARPSWEEP" counters --chip GH10 >out 2>errors || status=$?
[[ $status == 3 ]] && grep -q "did you mean 'GH100'?" errors || fail "GH10: exit $status: $(cat errors)"

"$WARPSWEEP" check memory.yaml --chip GH100 --chip GB100 >out || fail "check --chip: $(cat out)"
grep -q 'GB100: all 22 columns of memory' out || fail "$(cat out)"
# The user's own metrics are not replaced by others: GB202 calls it differently.
"$WARPSWEEP" check own.yaml --chip GB100 >out || fail "check --chip: $(cat out)"
grep -q 'GB100: all 2 columns of the job' out || fail "own metrics on GB100: $(cat out)"
status=0
"$WARPSWEEP" check own.yaml --chip GB202 >out || status=$?
[[ $status == 1 ]] || fail "own metrics on GB202: exit $status"
grep -q 'GB202: 1 of 2 columns of the job, in 1 pass; it has no dram__bytes_read.sum' out || fail "$(cat out)"

# A metric that no chip has is misspelt: plain check refuses it where it stands; what some chip has passes.
printf 'counters:\n  - sm__cycles_active.avg\n  - dram__bytes_raed.sum\nsweeps: [{kernel: copy}]\n' >misspelt.yaml
status=0
"$WARPSWEEP" check misspelt.yaml >out 2>errors || status=$?
[[ $status == 2 ]] && grep -q "misspelt.yaml:3:5: .*dram__bytes_raed.sum.* (did you mean 'dram__bytes_read.sum'?)" errors ||
    fail "a misspelt metric: exit $status: $(cat errors)"
"$WARPSWEEP" check own.yaml >out 2>errors && [[ ! -s errors ]] || fail "metrics that are there: $(cat errors)"
# Where CUPTI is not there nobody can tell, and that is said.
WARPSWEEP_CUPTI=$D/nothing.so "$WARPSWEEP" check misspelt.yaml >out 2>errors || fail "without CUPTI: $(cat errors)"
grep -q 'note: cannot check the names of metrics' errors || fail "without CUPTI: $(cat errors)"
