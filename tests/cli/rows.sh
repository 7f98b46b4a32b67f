#!/usr/bin/env bash
# Each row of rows.txt: arguments | exit code | text that stdout or stderr has to hold.
source "$(dirname "$0")/setup.sh"
cd "$D"
printf 'sweeps:\n  - kernel: copy\n    axes: {stride: [1, 2], vector: [1, 16]}\n' >job.yaml
printf 'counters: none\nsweeps: [{kernel: copy}]\n' >none.yaml
printf 'sweeps:\n  - kernel: copy\n    axes: {strid: 1}\n' >bad.yaml
printf 'energy: true\nsweeps: [{kernel: copy}]\n' >energy_true.yaml
echo rubbish >rubbish.h5
cp s.h5 ./-x.h5
cat s.h5 s.h5 >two.h5 # HDF5 itself reads the first
rows=0 failures=0
while IFS='|' read -r arguments code text; do
    [[ -z $arguments || $arguments == \#* ]] && continue
    read -r code <<<"$code"
    text=${text# }
    rows=$((rows + 1)) status=0
    eval "set -- $arguments"
    "$WARPSWEEP" "$@" >out 2>&1 </dev/null || status=$?
    # In a sanitizer build the search for leaks itself may crash beside Open MPI's threads, and take the exit code.
    if [[ $status != "$code" ]] && grep -q 'LeakSanitizer has encountered a fatal error' out; then
        status=0
        ASAN_OPTIONS=detect_leaks=0 "$WARPSWEEP" "$@" >out 2>&1 </dev/null || status=$?
    fi
    if [[ $status != "$code" ]] || ! grep -qF -- "$text" out || grep -q ' in .*/src/[a-z]*/[a-z_]*\.c:[0-9]' out; then
        echo "FAILED: warpsweep $arguments: exit $status, expected $code and '$text'; it said:"
        head -n 5 out
        failures=$((failures + 1))
    fi
done <"$HERE/rows.txt"
((rows > 50)) || fail "only $rows rows"
((failures == 0)) || fail "$failures of $rows rows failed"
