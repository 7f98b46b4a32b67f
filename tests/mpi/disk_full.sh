# A results file that cannot grow: the run ends with the reason, everywhere, and what was written can be resumed. A
# limit on the size of files stands for a full disk.
. "$(dirname "$0")/common.sh"

job '{replicates: 1}' <<'JOB'
  - kernel: copy
    axes: {size: {from: 64KiB, to: 16000KiB, step: 64KiB}, dtype: [u8, f16, f32, f64], stride: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], offset: [0, 1]}
JOB
POINTS=20000
(
    ulimit -f 12000 # blocks of 512 bytes: enough for what MPI_Init makes
    # Without the check for leaks: Open MPI has some, and they would take the place of the exit code.
    ASAN_OPTIONS=detect_leaks=0 timeout -k 5 120 "$WARPSWEEP" run job.yaml -o full.h5 --backend fake >/dev/null 2>log_full
)
code=$?
cp log_full log
expect "exit code with a full disk" $code 3

logged "full.h5.*: .*\(File too large\|No space left\)"
kept=$(points full.h5)
[ "$kept" -gt 100 ] && [ "$kept" -lt $POINTS ] || fail "$kept points are there"
expect "ok in the summary" "$(sed -n 's/^warpsweep: \([0-9]*\) ok,.*/\1/p' log)" "$(points full.h5 --where status=ok)"
launch 0 2 -o full.h5 --backend fake --resume
logged "points to measure ($kept done before"
complete full.h5
