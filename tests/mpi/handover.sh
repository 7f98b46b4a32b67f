# A rank that sees its own device only gets the memory of the other from that one's worker: points of two devices work between two
# ranks, beside others; a worker that dies or hangs takes the point only, whichever end it is; what is missing is resumed. The host
# back end does so with shared memory: each rank's device is its share of the processors.
. "$(dirname "$0")/common.sh"
job '{cache: hot, max_time: 10ms, min_samples: 3, max_samples: 20, timeout: 60s, replicates: 2}' <<'JOB'
  - kernel: peer_copy
    axes: {variant: [load, store], pair: [local, 0-1, 1-0, 0-2], direction: [one_way, both_ways], size: [64KiB]}
  - kernel: peer_copy # each reads hundreds of MB between samples, so that they are few
    axes: {pair: [0-1, 1-0], size: [64KiB], cache: [cold, rotate]}
  - kernel: copy
    axes: {size: 64KiB, block: [32, 64]}
JOB
ALL=22

# workers_of RANK: of a run started by `start`, the worker of its rank of this number.
workers_of() {
    for rank in $(ranks_of "$run"); do
        pgrep -P "$rank" -f -- "--local-rank $1( --spare)?\$"
    done
}

launch 0 2 -o two.h5 --backend host
expect "points" "$(points two.h5)" $ALL
expect "ok between ranks" "$(rows two.h5 pair,processes --where pair=0-1,1-0 --where direction=one_way --where status=ok | sort | uniq -c | tr -s ' \t' ' ')" " 4 0-1 2
 4 1-0 2"
expect "local" "$(points two.h5 --where pair=local --where status=ok)" 4
rows two.h5 message --where pair=0-1 --where direction=both_ways | grep >/dev/null '^several devices launch it, and this rank sees its own only: .*--gpus-per-node' ||
    fail "no reason: $(rows two.h5 message --where pair=0-1 --where direction=both_ways | sed -n 1p)"
rows two.h5 message --where pair=0-2 | grep >/dev/null '^device 2 is not visible, and no rank has it: this node has 2 ranks' ||
    fail "no reason: $(rows two.h5 message --where pair=0-2 | sed -n 1p)"

# One rank has nobody to ask.
launch 0 1 -o one.h5 --backend host
expect "unavailable" "$(points one.h5 --where status=unavailable)" 16
rows one.h5 message --where pair=0-1 | grep >/dev/null "^device 1 is another rank's: this node has 1 rank" ||
    fail "no reason: $(rows one.h5 message --where pair=0-1 | sed -n 1p)"

# Points long enough to be met in the middle. The pair 0-1 is measured by rank 0 in memory of rank 1, and 1-0 the other way round.
job '{max_time: 20ms, min_samples: 200, timeout: 12s, replicates: 1}' <<'JOB'
  - kernel: peer_copy
    axes: {variant: load, pair: 0-1, size: [32MiB, 48MiB], cache: hot}
JOB
# disturb FILE SIGNAL RANK [ARGUMENT...]: send a signal to the worker of a rank when a point is being measured.
disturb() {
    file=$1 signal=$2 rank_on_node=$3
    shift 3
    start 2 -o "$file" --backend host "$@"
    run=$!
    tries=0
    until has_memory_of_others "$(workers_of 0)"; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "no memory is handed over"
        sleep 0.05
    done
    victim=$(workers_of "$rank_on_node")
    kill -"$signal" "$victim" || fail "rank $rank_on_node has no worker"
}
has_memory_of_others() { [ -n "$1" ] && grep >/dev/null 2>&1 memfd:warpsweep "/proc/$1/maps"; }
ended() { # ended EXPECTED-EXIT-CODE
    wait $run
    code=$?
    [ $code -eq "$1" ] || fail "exit code $code, not $1"
}

# The worker that has given memory dies: the point fails, is tried again, with a new worker, and is good.
disturb far.h5 KILL 1
ended 0
expect "ok" "$(points far.h5 --where status=ok)" 2
expect "attempts" "$(rows far.h5 attempts | sort | tr '\n' ' ')" "1 2 "
rows far.h5 earlier_attempt --where attempts=2 | grep >/dev/null 'the worker of rank 1 of this node has ended' ||
    fail "first attempt: $(rows far.h5 earlier_attempt --where attempts=2)"

# The one that measures dies.
disturb near.h5 KILL 0
ended 0
expect "ok" "$(points near.h5 --where status=ok)" 2
expect "attempts" "$(rows near.h5 attempts | sort | tr '\n' ' ')" "1 2 "

# The one that has given memory hangs: what it has given is still there, and nobody waits for more of it for long. A later run
# measures what failed.
disturb hangs.h5 STOP 1
ended 1
expect "ok" "$(points hangs.h5 --where status=ok)" 1
expect "reason" "$(rows hangs.h5 message --where status=failed | sort -u)" "the worker of rank 1 of this node has not answered for 3 s"
[ ! -e "/proc/$victim" ] || fail "a worker that hangs outlives its rank"
launch 0 2 -o hangs.h5 --backend host --resume --retry-failed
expect "ok" "$(points hangs.h5 --where status=ok)" 2
