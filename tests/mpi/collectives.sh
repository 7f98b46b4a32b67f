# Collectives on the host back end, which runs their reference, and on made-up devices: they run on the rank of the first device, beside
# points of one device; a worker that dies takes its point only. Bus bandwidth follows from the table. NCCL is not needed.
. "$(dirname "$0")/common.sh"
cat >job.yaml <<'JOB'
title: Collectives among others
counters: none
timing: {cache: hot, max_time: 20ms, timeout: 10s, replicates: 1}
sweeps:
  - kernel: collective
    axes: {variant: [all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv], gpus: [1, 2, 3], size: [4KiB, 100000], dtype: [i32, bf16]}
  - kernel: collective
    axes: {gpus: 2, size: 4KiB, in_place: "yes"}
  - kernel: copy
    axes: {size: 1MiB, block: [32, 64, 128, 256]}
JOB
ALL=77 # 72 collectives, one in place, 4 copies

launch 0 2 -o host.h5 --backend host
expect "ok" "$(points host.h5 --where status=ok)" $((ALL - 1))
expect "in place" "$(rows host.h5 message --where in_place=yes)" "the host back end runs the reference, which is not in place"
expect "compared elements of three sums" "$(rows host.h5 verified --where variant=all_reduce --where gpus=3 --where size=4KiB --where dtype=i32)" 3072

# Of 4 KiB: 2 (n - 1) / n, (n - 1) / n or 1 times as many bytes on the bus; the parts of three are 1360 bytes.
for row in all_reduce,2,4096 all_reduce,3,5461 all_gather,2,2048 reduce_scatter,3,2720 all_to_all,3,2720 broadcast,3,4096 send_recv,2,4096; do
    IFS=, read -r variant gpus bytes <<ROW
$row
ROW
    expect "bus_bytes of $row" "$(rows host.h5 bus_bytes --where variant=$variant --where gpus=$gpus --where size=4KiB --where dtype=i32 --where in_place=no)" "$bytes"
done
expect "without a link" "$(rows host.h5 bus_bytes,bus_bandwidth --where gpus=1 | tr "\t" " " | sort -u)" "nan nan"
rows host.h5 bus_bytes,time_median,bus_bandwidth --where kernel=collective --where 'gpus>1' --where status=ok |
    awk '{ r = $3 * $2 / $1; if (r < 0.9999 || r > 1.0001) exit 1; n++ } END { exit n != 48 }' || fail "bus_bandwidth is not bus_bytes / time_median"

# Three ranks are devices 0, 1 and 2: what has several devices runs on the first.
WARPSWEEP_FAKE='sleep=2ms;crash:variant=all_gather,gpus=2,size=4KiB,dtype=i32' launch 1 3 -o fake.h5 --backend fake
expect "ok" "$(points fake.h5 --where status=ok)" $((ALL - 1))
expect "devices of several" "$(rows fake.h5 device --where kernel=collective --where 'gpus>1' --where status=ok | sort -u)" 0
expect "crashed" "$(rows fake.h5 device,attempts --where status=crashed | tr '\t' ' ')" "0 2"
