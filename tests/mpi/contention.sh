# Points of three devices and more run on the rank of device 0, alone on the node; a crash takes the point only, and a run that is killed
# is resumed. On the host, both ends are in one memory and messages are copied and verified.
. "$(dirname "$0")/common.sh"
cat >job.yaml <<'JOB'
title: Patterns among points of one device
counters: none
timing: {max_time: 1s, timeout: 2s, replicates: 1}
sweeps:
  - kernel: contention
    axes: {variant: [copy_engine, load, store], pattern: [permutation, all_to_all, incast, outcast], gpus: [3, 4], size: 1MiB}
  - kernel: contention
    axes: {pattern: [one, both], gpus: [1, 2], size: 1MiB}
  - kernel: contention
    axes: {pattern: [one, both], gpus: [1, 2], size: 1MiB, beside: local_copy, work_bytes: 1MiB}
  - kernel: copy
    axes: {size: 1MiB, block: [32, 64, 128, 256, 512, 1024], items: [1, 2]}
JOB
ALL=44 SEVERAL=28 # of which with two devices and more

# Four ranks: every point of several devices runs on the first, and no other point of the node at the same time.
WARPSWEEP_FAKE='sleep=2ms' launch 0 4 -o four.h5 --backend fake
expect "ok" "$(points four.h5 --where status=ok)" $ALL
expect "devices of patterns" "$(rows four.h5 device --where kernel=contention --where gpus=2..4 | sort | uniq -c | tr -s ' ')" " $SEVERAL 0"
[ "$(rows four.h5 device --where kernel=copy | sort -u | wc -l)" -gt 1 ] || fail "all copies ran on one device"

# A worker that dies at a point of four devices takes that point only.
WARPSWEEP_FAKE='crash:gpus=4,pattern=incast,variant=load;hang:gpus=3,pattern=outcast,variant=store' launch 1 4 -o crash.h5 --backend fake
expect "ok" "$(points crash.h5 --where status=ok)" $((ALL - 2))
expect "crashed" "$(rows crash.h5 device,attempts --where status=crashed | tr '\t' ' ')" "0 2"
expect "timed out" "$(rows crash.h5 device,attempts --where status=timed_out | tr '\t' ' ')" "0 2"

# Killed among them, and resumed: only what is missing is measured.
export WARPSWEEP_FAKE=sleep=50ms
start 4 -o killed.h5 --backend fake
run=$!
until_rows killed.h5 15
kill -9 "$(ranks_of $run | sed -n 1p)"
wait $run && fail "a run whose rank 0 was killed ended with 0"
sleep 0.2
rows killed.h5 id,device,time_median --where status=ok | sort >before
[ "$(wc -l <before)" -ge 10 ] && [ "$(wc -l <before)" -lt $ALL ] || fail "$(wc -l <before) rows were kept"
WARPSWEEP_FAKE= launch 0 4 -o killed.h5 --backend fake --resume
expect "ok" "$(points killed.h5 --where status=ok)" $ALL
rows killed.h5 id,device,time_median --where status=ok | sort >after
expect "rows that the resumed run touched" "$(comm -23 before after | wc -l)" 0

# The host has one device: what needs more says so.
export WARPSWEEP_FAKE=
launch 0 2 -o host.h5 --backend host
expect "ok on the host" "$(points host.h5 --where kernel=contention --where status=ok)" 4
expect "unsupported on the host" "$(points host.h5 --where status=unsupported)" $SEVERAL
rows host.h5 message --where status=unsupported | grep >/dev/null 'only gpus=1' || fail "no reason on the host"
expect "elements verified" "$(rows host.h5 verified --where kernel=contention --where status=ok --where pattern=both --where beside=local_copy)" "$((2 * (1048576 + 1048576) / 4))"
