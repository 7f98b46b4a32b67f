# Workers that crash, exit, hang and send rubbish cost the point they were at, and no other.
. "$(dirname "$0")/common.sh"

WARPSWEEP_FAKE="crash:stride=137,vector=1,size=1MiB;exit:stride=32,vector=1,size=4MiB"
WARPSWEEP_FAKE="$WARPSWEEP_FAKE;garbage:stride=16,size=1MiB,vector=1;hang:vector=8,dtype=u8,stride=1,size=4MiB"
WARPSWEEP_FAKE="$WARPSWEEP_FAKE;fail:stride=4,vector=4;slow=inf:stride=2,vector=2"
export WARPSWEEP_FAKE

check() {
    complete "$1"
    expect "ok" "$(points "$1" --where status=ok)" $((POSSIBLE - 29))
    expect "failed" "$(points "$1" --where status=failed)" 16
    expect "samples of no length" "$(points "$1" --where status=failed --where stride=2)" 8
    rows "$1" stride,message --where repeat=0 --where status=crashed | sort | uniq -c | sed 's/^ *//' >crashes
    cat >expected <<'CRASHES'
4 137	the worker was killed by signal 11 (Segmentation fault) in stage 'measure'
4 16	the worker sent a message that cannot be read in stage 'measure'
4 32	the worker exited with status 7 in stage 'measure'
CRASHES
    sort expected >sorted
    sort crashes | diff sorted - || fail "unexpected crashes"
    rows "$1" dtype,stride,vector,message --where repeat=0 --where status=timed_out >timeouts
    printf "u8\t1\t8\tno result within 2 s in stage 'measure'\n" | diff - timeouts || fail "unexpected time-outs"
}

launch 1 4 -o four.h5 --backend fake
check four.h5
launch 1 1 -o one.h5 --backend fake
check one.h5

# Failed points are done, unless asked for again.
unset WARPSWEEP_FAKE
launch 1 2 -o four.h5 --backend fake --resume
check four.h5
logged "^warpsweep: 0 points to measure"
launch 0 2 -o four.h5 --backend fake --resume --retry-failed
logged "^warpsweep: 29 points to measure (195 done before"
complete four.h5
expect "ok after the retry" "$(points four.h5 --where status=ok)" $POSSIBLE
