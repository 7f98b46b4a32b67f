#!/usr/bin/env bash
# jobs/first_day.yaml, its page, and profiles and predictions against published values: nothing here was measured.
source "$(dirname "$0")/setup.sh"
cd "$D"
python=$(find_python 'h5py, pandas, scipy')
export PYTHONPATH=$SOURCE/python/src:$PYTHONPATH
check() { "$python" "$SOURCE/examples/blackwell/first_day.py" "$@"; }
for profile in b200 b300; do
    "$WARPSWEEP" predict "$SOURCE/jobs/first_day.yaml" --profile $profile -o $profile.h5 >/dev/null 2>errors || fail "predict: $(cat errors)"
    check $profile.h5 >$profile.txt || fail "predicted: $(cat $profile.txt)"
    [[ $(grep -c ': .*without the power limit' $profile.txt) == $(grep -ci "^$profile,.*without the power limit" "$SOURCE/examples/blackwell/published.csv") ]] ||
        fail "a reason that is not needed: $(cat $profile.txt)"
done
grep -Eq '^DRAM read .* 7.20 to 7.37 TB/s .*as published$' b300.txt || fail "DRAM: $(cat b300.txt)"
! grep -q '^latency of L1' b300.txt || fail "a chain is predicted: $(cat b300.txt)"

# Each value of a profile that others have published is theirs within 10 %; what is left out is copied from Hopper, and its head says so.
for profile in b200:8 gb200:2 b300:24; do
    check "${profile%:*}" >out && grep -q "^${profile#*:} of ${profile#*:} values" out || fail "profile: $(cat out)"
    "$python" - "$SOURCE/profiles/${profile%:*}.yaml" <<'END' || fail "what ${profile%:*}.yaml has from Hopper"
import math, sys
from warpsweep.profiles import FIELDS, assume, read
given = read(sys.argv[1])
copied = {name: value.source for name, value in assume(given).values.items() if math.isnan(given[name]) and not math.isnan(value.value)}
head = [line for line in open(sys.argv[1]) if line.startswith("#")][-1]
assert set(head[1:].split()) == set(copied) <= set(FIELDS) and set(copied.values()) == {"copied from Hopper: as H100 and H200 have it"}, copied
END
done
sed 's/latency_shared: {value: 28/latency_shared: {value: 40/' "$SOURCE/profiles/b300.yaml" >off.yaml
! check ./off.yaml >out && grep -q '^latency of shared memory  *40  *28 cycles  *+43%$' out || fail "40 cycles of shared memory pass: $(cat out)"
status=0
check b300.h5 B9000 >out 2>errors || status=$?
[[ $status == 2 ]] && grep -q 'B200, B300, GB200, RTX 5090' errors || fail "exit $status: $(cat errors)"

# The numbers of the page are the job's.
page=$(tr '\n' ' ' <"$SOURCE/docs/blackwell.md")
for profile in b200 b300 rtx-pro-6000; do
    "$WARPSWEEP" check "$SOURCE/jobs/first_day.yaml" --profile $profile >out
    read -r points kernels refused < <(awk '/^[a-z0-9_]*: [0-9]* points/ {p += $2} /of them unsupported/ {u += $4} /^total:/ {k = $2} END {print p, k, u}' out)
    case $profile in
    b200) wanted=("all $kernels kernels compile" "on a B200 $refused of $points are") ;;
    b300) wanted=("$kernels for \`sm_103a\`" "on a B300 $refused ") ;;
    *) wanted=("$kernels for \`sm_120a\`") ;;
    esac
    for text in "${wanted[@]}"; do [[ $page == *"$text"* ]] || fail "docs/blackwell.md does not say '$text'"; done
done
