# The file system of rank 0 stalls, for longer than the other ranks bear its silence and than MPI may take to end: while the file is
# opened, while points are measured, and while a checkpoint and the last file are written. Nobody is given up, and the run ends with 0.
. "$(dirname "$0")/common.sh"

# stalled NAME PATTERN AFTER [RANKS]: the sync of a file that fits the pattern, after so many others.
stalled() {
    STALLS_AT=$2 STALLS_AFTER=$3 STALLS_FOR=20 WARPSWEEP_FAKE=${4-} WARPSWEEP_FAKE_TRACE=$PWD/$1.trace \
        timeout -k 5 120 mpirun -q --oversubscribe -n 3 -x LD_PRELOAD="$(dirname "$WARPSWEEP")/../tests/mpi/libslow_disk.so" \
        "$WARPSWEEP" run job.yaml -o "$1.h5" --silence 2s --backend fake >"$1.log" 2>&1
    echo $? >"$1.code"
}
# All wait for the same twenty seconds. A silent rank 0 has eight, when it leaves eighteen, and the end of MPI ten.
stalled opening '*/opening.h5.journal' 0 &
stalled measuring '*/measuring.h5.journal' 1 'sleep=50ms' &
stalled checkpoint '*/checkpoint.h5.tmp-*' 1 'sleep=50ms' &
stalled last '*/last.h5.tmp-*' 1 &
wait
for name in opening measuring checkpoint last; do
    cp $name.log log
    logged "slow_disk: stalls at .*/$name"
    expect "exit code of $name" "$(cat $name.code)" 0
    expect "points that are ok" "$(points $name.h5 --where status=ok)" $POSSIBLE
    complete $name.h5
    grep -q 'no heartbeat' log && fail "a rank was given up"
done
for name in opening checkpoint last; do
    grep -q "rank 0 has been reading or writing .*$name.h5 for" $name.log || fail "nobody says that rank 0 writes $name.h5"
done
# A sync of the journal keeps nobody from measuring.
cp measuring.log log
logged 'the disk has not taken results for'
awk 'NR == 1 { first = $1 } { last = $1 } END { exit !(NR >= 210 && last - first < 18) }' measuring.trace ||
    fail "points were timed from $(sed -n 1p measuring.trace) to $(tail -n 1 measuring.trace)"
