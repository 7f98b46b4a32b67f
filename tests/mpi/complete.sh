# Every point has exactly one row, with the same made-up times, whatever the number of ranks.
. "$(dirname "$0")/common.sh"

launch 0 1 -o one.h5 --backend fake
complete one.h5
expect "ok" "$(points one.h5 --where status=ok)" $POSSIBLE
expect "unsupported" "$(points one.h5 --where status=unsupported)" $UNSUPPORTED
rows one.h5 id,status,time_median --where repeat=0 | sort >one
logged "fake back end does not measure"

launch 0 4 -o four.h5 --backend fake
complete four.h5
rows four.h5 id,status,time_median --where repeat=0 | sort >four
cmp one four || fail "other rows on four ranks than on one"

# Where points take some time, each rank has a share.
WARPSWEEP_FAKE=sleep=2ms launch 0 4 -o slow.h5 --backend fake
expect "devices at work" "$(rows slow.h5 device --where status=ok | sort -u | wc -l)" 4

# Canaries: on every device, at the start, half-way and at the end, under numbers of their own.
expect "repetitions" "$(rows slow.h5 repeat --canaries | grep -vx 0 | sort -u | wc -l)" 48
expect "rows of repetitions" "$(rows slow.h5 repeat --canaries | grep -vcx 0)" 48
for device in 0 1 2 3; do
    expect "repetitions on device $device" "$(rows slow.h5 device,repeat --canaries | grep "^$device	" | grep -vc '	0$')" 12
done

# A run that is complete has nothing to resume, and stays as it is.
launch 0 2 -o one.h5 --backend fake --resume
complete one.h5
rows one.h5 id,status,time_median --where repeat=0 | sort >resumed
cmp one resumed || fail "resuming a complete run changed it"
logged "^warpsweep: 0 points to measure (224 done before"
