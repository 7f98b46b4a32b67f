# Points of two devices run on the rank whose device launches them, alone on the node, beside points of one device; a worker that
# dies takes its point only; a run that is killed is resumed. Ranks without the device say what is missing.
. "$(dirname "$0")/common.sh"
job '{max_time: 1s, timeout: 2s, replicates: 1}' <<'JOB'
  - kernel: peer_copy
    axes: {variant: [load, store, copy_engine], pair: [local, 0-1, 1-0, 1-2], direction: [one_way, both_ways], size: [1MiB, 2MiB]}
  - kernel: copy
    axes: {size: 1MiB, block: [32, 64, 128, 256, 512, 1024], items: [1, 2]}
JOB
ALL=60 PAIRS=12 # 3 variants, 2 directions and 2 sizes of each pair

# Three ranks are devices 0, 1 and 2: each point is measured on its own.
WARPSWEEP_FAKE='sleep=2ms' launch 0 3 -o three.h5 --backend fake
expect "ok" "$(points three.h5 --where status=ok)" $ALL
expect "devices of 0-1" "$(rows three.h5 device --where pair=0-1 | sort | uniq -c | tr -s ' ')" " $PAIRS 0"
expect "devices of 1-0 and 1-2" "$(rows three.h5 device --where pair=1-0,1-2 | sort | uniq -c | tr -s ' ')" " $((2 * PAIRS)) 1"

# One rank has device 0 only: what another device launches is unavailable, and says why.
launch 0 1 -o one.h5 --backend fake
expect "ok" "$(points one.h5 --where status=ok)" $((ALL - 2 * PAIRS))
expect "unavailable" "$(points one.h5 --where status=unavailable)" $((2 * PAIRS))
rows one.h5 message --where pair=1-0 | grep >/dev/null '^device 1 launches it, and no rank has that device: this one has device 0; start one rank per device' ||
    fail "no reason: $(rows one.h5 message --where pair=1-0 | sed -n 1p)"

# Where each rank is bound to a device of its own, points of two are unavailable, and those of one are not.
own() { mpirun -q --oversubscribe -n 1 env CUDA_VISIBLE_DEVICES=0 "$WARPSWEEP" run job.yaml "$@" : -n 1 env CUDA_VISIBLE_DEVICES=1 "$WARPSWEEP" run job.yaml "$@" >log 2>&1; }
export WARPSWEEP_FAKE=visible
own -o own.h5 --backend fake || fail "one device for each rank: $(cat log)"
expect "ok" "$(points own.h5 --where status=ok)" $((ALL - 3 * PAIRS))
expect "unavailable" "$(points own.h5 --where status=unavailable)" $((3 * PAIRS))
rows own.h5 message --where pair=0-1 | grep >/dev/null '^device 1 is not visible: this rank sees 1; let each rank see all devices .*--gpu-bind=none' ||
    fail "no reason: $(rows own.h5 message --where pair=0-1 | sed -n 1p)"
export WARPSWEEP_FAKE=

# A crash takes the point only, which is tried again on its own device; hanging ones time out.
WARPSWEEP_FAKE='crash:pair=1-0,size=1MiB,variant=load;hang:pair=0-1,size=2MiB,variant=store,direction=one_way' \
    launch 1 3 -o crash.h5 --backend fake
expect "ok" "$(points crash.h5 --where status=ok)" $((ALL - 3))
expect "crashed" "$(rows crash.h5 device,attempts --where status=crashed | sort -u | tr '\t' ' ')" "1 2"
expect "timed out" "$(rows crash.h5 device,attempts --where status=timed_out | tr '\t' ' ')" "0 2"

kill_and_resume 3 $ALL

# Further processes and retries of a pair stay on its device; with `devices: all`, too.
sed -i 's/replicates: 1/replicates: 2, devices: all/' job.yaml
WARPSWEEP_FAKE='fail:pair=1-2,direction=one_way' launch 1 3 -o all.h5 --backend fake
expect "processes of 1-0" "$(rows all.h5 devices,processes --where pair=1-0 | sort -u | tr '\t' ' ')" "1 2"
expect "processes of local pairs" "$(rows all.h5 devices,processes --where pair=local | sort -u | tr '\t' ' ')" "3 6"
expect "failed" "$(rows all.h5 device,attempts --where status=failed | sort -u | tr '\t' ' ')" "1 2"
