#!/usr/bin/env bash
# large_file.sh STRIDES KIB: a results file of 4000 x STRIDES points, each with 24 samples by two processes, made in two shares that
# are merged. No command takes more memory than KIB, and none leaves a temporary file behind.
source "$(dirname "$0")/setup.sh"
strides=$1 limit=$2
points=$((4000 * strides))
type -P time >/dev/null || { echo "skipped: no time(1)"; exit 77; }
[[ $SANITIZE != ON ]] || { echo "skipped: AddressSanitizer's own memory would be measured"; exit 77; }
cd "$D"
mkdir temporary
export TMPDIR=$D/temporary

make_shares() { # make_shares STRIDES
    cat >job.yaml <<END_OF_JOB
timing: {min_samples: 12, max_samples: 12, max_time: 1s, replicates: 2}
sweeps:
  - kernel: copy
    axes:
      variant: [load, store]
      size: {from: 1MiB, to: 50MiB, step: 1MiB}
      dtype: [f16, f32]
      stride: {from: 1, to: $1, step: 1}
      offset: {from: 0, to: 19, step: 1}
END_OF_JOB
    for share in 1 2; do
        "$WARPSWEEP" run job.yaml --backend fake --share $share/2 -o $share.h5 >said 2>errors || fail "run: $(cat errors)"
    done
}

run_measured() { # run_measured COMMAND...: the memory of the command and of those that it starts
    "$(type -P time)" -f '%M %U %S %e' -o cost "$WARPSWEEP" "$@" >said 2>errors || fail "$*: $(cat errors)"
    read -r kib user system wall <cost
}

measure() { # measure COMMAND...
    run_measured "$@"
    printf '%-36s %8d KiB  %7.2f s of the processors  %7.2f s\n' "$*" "$kib" "$(awk "BEGIN {print $user + $system}")" "$wall"
    [[ $kib -le $limit ]] || fail "$* takes $kib KiB, at most $limit"
    [[ -z $(ls "$TMPDIR") ]] || fail "$* leaves $(ls "$TMPDIR")"
}
cd "$D" || exit 1
make_shares "$strides"
measure merge 1.h5 2.h5 -o whole.h5
grep -q "$points of $points points" said || fail "merge: $(cat said)"
ln whole.h5 same.h5
measure status whole.h5
grep -q "$points of $points points done, 0 left" said || fail "status: $(cat said)"
measure status --verify whole.h5
measure table whole.h5
[[ $(wc -l <said) == $((points + 1)) ]] || fail "table: $(wc -l <said) lines"
measure table whole.h5 -c all -n 1000
measure table whole.h5 --top 10
if python3 -c 'import h5py, pandas, scipy, jinja2' 2>/dev/null; then
    measure report whole.h5
    measure compare whole.h5 same.h5
    has "^copy  *$points " <said || fail "compare: $(cat said)"
fi
