# What a launch lacks is no property of a point: it is asked again by each resume. And no device is accused of a kernel's faults.
. "$(dirname "$0")/common.sh"
job '{replicates: 1, max_time: 10ms, timeout: 3s}' <<'JOB'
  - kernel: peer_copy
    axes: {pair: [0-1, 1-2, 2-3, 3-0, 0-2], size: [1MiB, 2MiB]}
  - kernel: collective
    axes: {gpus: [2, 4], size: [1MiB, 2MiB], variant: [all_reduce, broadcast]}
  - kernel: copy
    axes: {stride: [1, 2, 4, 8], size: [1MiB, 2MiB]}
JOB

# Fewer ranks than the job needs: what they cannot measure, four measure later.
launch 0 2 -o few.h5 --backend fake
logged ' 4 unavailable, in '
expect "unavailable" "$(points few.h5 --where status=unavailable)" 4
"$WARPSWEEP" status --verify few.h5 >log || fail "status refuses it"
launch 0 4 -o few.h5 --backend fake --resume
expect "ok" "$(points few.h5 --where status=ok)" 26

# A rank that is lost, at several points of the run.
for rank in 1 3; do
    rm -f lost.h5
    WARPSWEEP_FAKE=sleep=150ms timeout -k 5 120 mpirun -q --oversubscribe --mca orte_abort_on_non_zero_status 0 -n 4 \
        "$WARPSWEEP" run job.yaml --silence 2s --backend fake -o lost.h5 >log 2>&1 &
    run=$!
    until_rows lost.h5 $((2 * rank))
    for process in $(ranks_of $run); do
        tr '\0' '\n' <"/proc/$process/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$rank" && stopped=$process
    done
    kill -STOP "$stopped"
    wait $run
    kill -9 "$stopped" 2>/dev/null
    expect "unsupported" "$(points lost.h5 --where status=unsupported)" 0
    launch 0 4 -o lost.h5 --backend fake --resume
    expect "ok" "$(points lost.h5 --where status=ok)" 26
done

# devices: all: a device that has not measured a point does so in a resumed run.
printf '%s\n' 'counters: none' 'timing: {replicates: 2, devices: all}' 'sweeps:' '  - kernel: copy' '    axes: {size: [1MiB, 2MiB, 4MiB]}' >job.yaml
launch 0 3 -o all.h5 --backend fake
expect "processes on three devices" "$(rows all.h5 processes --where canary=0 | sort -u)" 6
launch 0 4 -o all.h5 --backend fake --resume
expect "processes on four devices" "$(rows all.h5 processes --where canary=0 | sort -u)" 8
launch 0 4 -o all.h5 --backend fake --resume
expect "processes after nothing was left" "$(rows all.h5 processes --where canary=0 | sort -u)" 8

# One device refuses what another of its product measures: the other is asked, in the same run or in a later one.
printf '%s\n' 'counters: none' 'timing: {replicates: 1}' 'sweeps:' '  - kernel: copy' '    axes: {size: [1MiB, 2MiB], stride: [1, 2, 4, 8]}' >job.yaml
WARPSWEEP_FAKE='sleep=30ms;lack:rank=1' launch 0 3 -o refused.h5 --backend fake
expect "ok" "$(points refused.h5 --where status=ok)" 8
logged 'points succeeded on retry'
rows refused.h5 earlier_attempt --where repeat=0 | grep -q '^unsupported on device .*: unsupported on request' || fail "nothing tells of the refusal"
WARPSWEEP_FAKE='lack:stride=2' launch 0 3 -o all_refuse.h5 --backend fake
expect "unsupported on all" "$(rows all_refuse.h5 attempts --where status=unsupported | sort -u)" 2
WARPSWEEP_FAKE='lack:stride=2' launch 0 1 -o one_refuses.h5 --backend fake
launch 0 1 -o one_refuses.h5 --backend fake --resume
expect "unsupported on the one device" "$(points one_refuses.h5 --where status=unsupported)" 2
launch 0 2 -o one_refuses.h5 --backend fake --resume
expect "ok once there is another device" "$(points one_refuses.h5 --where status=ok)" 8

# A canary that fails everywhere accuses its kernel; one that fails on one device, that device (faults.sick_canaries).
printf '%s\n' 'counters: none' 'timing: {replicates: 1}' 'sweeps:' '  - kernel: copy' \
    '    axes: {size: [1MiB, 2MiB], stride: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}' >job.yaml
for ranks in 1 2; do
    WARPSWEEP_FAKE=crash launch 1 $ranks -o crash$ranks.h5 --backend fake
    grep -q 'do not trust' log && fail "a device is accused of a kernel that fails on all"
    WARPSWEEP_FAKE=crash:stride=1 launch 1 $ranks -o stride$ranks.h5 --backend fake
    grep -q 'do not trust' log && fail "a device is accused of points that fail on all"
    [ "$ranks" = 1 ] || expect "the last line" "$(tail -n 1 log)" 'warpsweep: exit code 1'
done
exit 0
