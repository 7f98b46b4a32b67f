#!/usr/bin/env bash
# counters: what is counted, and what a chip offers, without a GPU.
source "$(dirname "$0")/setup.sh"
cd "$D"
"$WARPSWEEP" counters >out
for text in coalescing memory shared occupancy stalls roofline atomics cluster 'load_sectors_per_request' 'dram__bytes_read.sum or'; do
    grep -q "$text" out || fail "counters does not tell of $text"
done
printf 'counters: [dram__bytes_read.sum, sm__cycles_active.avg]\nsweeps: [{kernel: copy}]\n' >own.yaml
: >nothing.txt

# A library that is none, or lacks what is needed, is told of, and the list of this release answers, without passes.
refused() { # refused LIBRARY TEXT [EXIT CODE for an unknown chip: CUPTI does not know it, or it cannot be asked]
    local status=0
    WARPSWEEP_CUPTI=$1 "$WARPSWEEP" counters --chip GH100 --chip GB20B >out 2>errors || status=$?
    grep -q 'needs a build with CUDA' errors && { echo "skipped: this build has no CUDA"; exit 77; }
    [[ $status == 0 ]] || fail "CUPTI $1: exit $status: $(cat out errors)"
    grep -qF "$2" errors || fail "CUPTI $1: '$(cat errors)' does not say '$2'"
    [[ $(grep -c 'the list of this release answers' errors) == 1 ]] || fail "CUPTI $1: $(cat errors)"
    grep -Eq '^GH100: all [0-9]+ columns of memory$' out || fail "CUPTI $1: $(cat out)"
    grep -q '^GB20B: 19 of 22 columns of memory; it has no dram_bytes_read, dram_bytes_written, dram_throughput$' out ||
        fail "CUPTI $1: $(cat out)"
    status=0
    WARPSWEEP_CUPTI=$1 "$WARPSWEEP" counters --chip GB999 >out 2>errors || status=$?
    [[ $status == "${3:-3}" ]] && grep -qF "$2" errors || fail "CUPTI $1: unknown chip: exit $status: $(cat errors)"
}
refused "$D/nothing.so" "install the CUDA Toolkit's CUPTI"
refused "$D/nothing.txt" 'CUPTI cannot be loaded'
[[ -z ${OLD_CUPTI_LIBRARY:-} ]] || refused "$OLD_CUPTI_LIBRARY" '12.8 or later is needed'
[[ -z ${FAKE_CUPTI_LIBRARY:-} ]] || refused "$FAKE_CUPTI_LIBRARY" 'knows no chip' 2

if [[ ${SANITIZE:-OFF} == ON ]]; then
    exit 0 # what follows asks CUPTI, which does not load beside AddressSanitizer
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
[[ $status == 2 ]] && grep -q "did you mean 'GH100'?" errors || fail "GH10: exit $status: $(cat errors)"

# The list says what CUPTI says, of each of its chips that this CUPTI knows.
chips=$(sed -n 's/^    {"\(G[0-9A-Z]*\)", .*/\1/p' "$SOURCE/src/toolkit/chip.c")
[[ $(wc -w <<<"$chips") -ge 10 ]] || fail "no chips in chip.c: $chips"
for chip in $chips; do
    "$WARPSWEEP" counters --chip "$chip" >out 2>errors || fail "$chip: $(cat errors)"
    WARPSWEEP_CUPTI=$D/nothing.so "$WARPSWEEP" counters --chip "$chip" >listed 2>/dev/null || fail "list: $chip"
    if [[ ! -s errors ]]; then
        diff <(sed 's/, in [0-9]* pass\(es\)*//' out) listed || fail "the list of columns of $chip"
    fi
done
# Columns that hardware lacks are said, and no failure: the rest is counted.
"$WARPSWEEP" counters --chip GB20B >out
grep -Eq '^GB20B: 19 of 22 columns of memory, in [1-9] pass(es)?; it has no dram_bytes_read' out || fail "GB20B: $(cat out)"

printf 'counters: [dram_bytes_read, sm__cycles_active.avg]\nsweeps: [{kernel: copy}]\n' >columns.yaml
"$WARPSWEEP" check columns.yaml --chip GB202 --chip GB20B >out || fail "columns: $(cat out)"
grep -q 'GB202: all 2 columns of the job' out || fail "columns on GB202: $(cat out)"
grep -q 'GB20B: 1 of 2 columns of the job, in 1 pass; it has no dram_bytes_read' out || fail "columns on GB20B: $(cat out)"

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
