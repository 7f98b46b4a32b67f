#!/usr/bin/env bash
# check --sass shows machine code in short.
source "$(dirname "$0")/setup.sh"
cd "$D"
status=0
"$WARPSWEEP" check --kernel copy --set vector=4 --sass >out 2>errors || status=$?
[[ $status == 2 ]] && grep -q -- '--sass needs --arch' errors || fail "no --arch: exit $status: $(cat errors)"
status=0
"$WARPSWEEP" check --kernel copy --set vektor=4 --arch sm_90a >out 2>errors || status=$?
[[ $status == 2 ]] && grep -q "did you mean 'vector'" errors || fail "exit $status: $(cat errors)"
status=0
"$WARPSWEEP" check --kernel copy --set vector=4 --sass --arch sm_90a --arch sm_100a >out 2>errors || status=$?
if grep -q -e 'takes a build with CUDA' -e 'this needs a build with CUDA' -e 'there is no nvdisasm' errors; then
    [[ $status == 3 ]] || fail "nothing to look at: exit $status"
    echo "skipped: $(cat errors)"
    exit 77
fi
[[ $status == 0 ]] || fail "exit $status: $(cat errors)"
[[ $(grep -c 'LDG  *16 bytes per lane  1$' out) == 2 ]] || fail "$(cat out)"
grep -Eq '^  [0-9]+ instructions, [0-9]+ registers per thread, no loop$' out || fail "$(cat out)"
"$WARPSWEEP" check --kernel prefetch --set variant=bulk --set stages=2 --sass --arch sm_90a >out
grep -Eq 'UBLKCP +in bulk' out || fail "$(cat out)"
grep -q 'main loop of [1-9]' out || fail "$(cat out)"
# PTX is no machine code.
"$WARPSWEEP" check --kernel copy --set arch=compute_80 --sass --arch sm_90a >out
! grep -q 'registers' out || fail "$(cat out)"
# No disassembler.
status=0
NVDISASM=/nowhere "$WARPSWEEP" check --kernel copy --sass --arch sm_90a >out 2>errors || status=$?
[[ $status == 3 ]] && grep -q 'there is no nvdisasm' errors || fail "exit $status: $(cat errors)"
