# Points of three devices and more run on the rank of device 0, alone on the node; a crash takes the point only, and a run that is killed
# is resumed. On the host, both ends are in one memory and messages are copied and verified.
. "$(dirname "$0")/common.sh"
job '{max_time: 1s, timeout: 2s, replicates: 1}' <<'JOB'
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
WARPSWEEP_FAKE='sleep=10ms' launch 0 4 -o four.h5 --backend fake
expect "ok" "$(points four.h5 --where status=ok)" $ALL
expect "devices of patterns" "$(rows four.h5 device --where kernel=contention --where gpus=2..4 | sort | uniq -c | tr -s ' ')" " $SEVERAL 0"
[ "$(rows four.h5 device --where kernel=copy | sort -u | wc -l)" -gt 1 ] || fail "all copies ran on one device"

# A worker that dies at a point of four devices takes that point only.
WARPSWEEP_FAKE='crash:gpus=4,pattern=incast,variant=load;hang:gpus=3,pattern=outcast,variant=store' launch 1 4 -o crash.h5 --backend fake
expect "ok" "$(points crash.h5 --where status=ok)" $((ALL - 2))
expect "crashed" "$(rows crash.h5 device,attempts --where status=crashed | tr '\t' ' ')" "0 2"
expect "timed out" "$(rows crash.h5 device,attempts --where status=timed_out | tr '\t' ' ')" "0 2"

kill_and_resume 4 $ALL

# Three processes of each point, as the shipped jobs have: those of patterns all on device 0, also after one has died.
sed -i 's/replicates: 1/replicates: 3/' job.yaml
WARPSWEEP_FAKE='crash:gpus=4,pattern=incast,variant=load' launch 1 4 -o three.h5 --backend fake
expect "ok" "$(points three.h5 --where status=ok)" $((ALL - 1))
expect "processes" "$(rows three.h5 processes --where status=ok | sort -u)" 3
expect "devices of patterns" "$(rows three.h5 device --where kernel=contention --where gpus=2..4 | sort -u)" 0
sed -i 's/replicates: 3/replicates: 1/' job.yaml

# The host has one device: what needs more says so. Its points really run, and slowly beside other tests.
sed -i 's/timeout: 2s/timeout: 60s, cache: hot/' job.yaml
export WARPSWEEP_FAKE=
launch 0 2 -o host.h5 --backend host
expect "ok on the host" "$(points host.h5 --where kernel=contention --where status=ok)" 4
expect "unsupported on the host" "$(points host.h5 --where status=unsupported)" $SEVERAL
rows host.h5 message --where status=unsupported | grep >/dev/null 'the host back end has one device' || fail "no reason on the host"
expect "elements verified" "$(rows host.h5 verified --where kernel=contention --where status=ok --where pattern=both --where beside=local_copy)" "$((2 * (1048576 + 1048576) / 4))"
