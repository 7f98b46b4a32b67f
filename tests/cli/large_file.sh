#!/usr/bin/env bash
# large_file.sh STRIDES KIB: a results file of 4000 x STRIDES points, each with 24 samples by two processes, made in two shares that
# are merged. No command of the program takes more memory than KIB, and none leaves a file behind. With 25 strides, no command takes more
# for each point than 1.1 times the number below, the highest of several files, which differed by up to 8 %. What status takes for
# 4000 points is subtracted, so that libraries do not count.
source "$(dirname "$0")/setup.sh"
strides=$1 limit=$2
points=$((4000 * strides))
type -P time >/dev/null || { echo "skipped: no time(1)"; exit 77; }
[[ $SANITIZE != ON ]] || { echo "skipped: AddressSanitizer's own memory would be measured"; exit 77; }
mkdir "$D/temporary" "$D/little" "$D/large"
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

measure() { # measure BYTES COMMAND...: BYTES: of each point
    local bytes=$1 grown
    shift
    run_measured "$@"
    grown=$(((kib - base) * 1024 / points))
    printf '%-36s %8d KiB  %4d bytes a point  %7.2f s of the processors  %7.2f s\n' "$*" "$kib" "$grown" \
        "$(awk "BEGIN {print $user + $system}")" "$wall"
    [[ $kib -le $limit ]] || fail "$* takes $kib KiB, at most $limit"
    [[ $strides != 25 || $((100 * grown)) -le $((110 * bytes)) ]] ||
        fail "$* takes $grown bytes a point; it took $bytes, and 10 % more are allowed"
    [[ -z $(ls "$TMPDIR") ]] || fail "$* leaves $(ls "$TMPDIR")"
}
cd "$D/little" || exit 1
make_shares 1
run_measured merge 1.h5 2.h5 -o whole.h5
run_measured status whole.h5
base=$kib
cd "$D/large" || exit 1
make_shares "$strides"
measure 830 merge 1.h5 2.h5 -o whole.h5
grep -q "$points of $points points" said || fail "merge: $(cat said)"
ln whole.h5 same.h5
measure 122 status whole.h5
(ulimit -f 30000 && "$WARPSWEEP" status whole.h5) >full 2>errors || fail "no room: $(cat errors)"
cmp -s full said || fail "status without room for temporary files says: $(cat full)"
grep -q 'no room for temporary files: whole.h5' errors || fail "no note: $(cat errors)"
grep -q "$points of $points points done, 0 left" said || fail "status: $(cat said)"
measure 73 status --verify whole.h5
measure 151 table whole.h5
[[ $(wc -l <said) == $((points + 1)) ]] || fail "table: $(wc -l <said) lines"
measure 75 table whole.h5 -c all -n 1000
measure 74 table whole.h5 --top 10 --by bandwidth
# The readers hold the whole table in memory: 7 to 13 KB a point.
if ((points <= 100000)) && python3 -c 'import h5py, pandas, scipy, jinja2' 2>/dev/null; then
    limit=1500000
    measure 7500 report whole.h5
    measure 13300 compare whole.h5 same.h5
    has "^copy  *$points " <said || fail "compare: $(cat said)"
fi
