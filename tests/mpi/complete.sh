# Every point has exactly one row, with the same made-up times, whatever the number of ranks and the schedule.
. "$(dirname "$0")/common.sh"

launch 0 1 -o one.h5 --backend fake
complete one.h5
expect "ok" "$(points one.h5 --where status=ok)" $POSSIBLE
expect "unsupported" "$(points one.h5 --where status=unsupported)" $UNSUPPORTED
rows one.h5 id,status,time_median --where repeat=0 | sort >one
logged "fake back end does not measure"

for schedule in dynamic static; do
    launch 0 4 -o four-$schedule.h5 --backend fake --schedule $schedule
    complete four-$schedule.h5
    rows four-$schedule.h5 id,status,time_median --where repeat=0 | sort >four
    cmp one four || fail "$schedule: other rows on four ranks than on one"
done
# Who gets work when is chance in the dynamic schedule, where a point takes no time; in the static one it is not.
expect "devices at work" "$(rows four-static.h5 device --where status=ok | sort -u | wc -l)" 4

# Static: the same points on the same ranks, every time; also when some are known to take long, which come first else.
rows four-static.h5 id,device --where repeat=0 | sort >first
WARPSWEEP_FAKE=sleep=20ms:stride=137 launch 0 2 -o slow.h5 --backend fake
launch 0 4 -o again.h5 --backend fake --schedule static
rows again.h5 id,device --where repeat=0 | sort >second
cmp first second || fail "static: another placement the second time"

# Canaries: on every device, at the start, half-way and at the end, under numbers of their own.
expect "repetitions" "$(rows four-static.h5 repeat --canaries | grep -vx 0 | sort -u | wc -l)" 48
expect "rows of repetitions" "$(rows four-static.h5 repeat --canaries | grep -vcx 0)" 48
for device in 0 1 2 3; do
    expect "repetitions on device $device" "$(rows four-static.h5 device,repeat --canaries | grep "^$device	" | grep -vc '	0$')" 12
done

# A run that is complete has nothing to resume, and stays as it is.
launch 0 2 -o one.h5 --backend fake --resume
complete one.h5
rows one.h5 id,status,time_median --where repeat=0 | sort >resumed
cmp one resumed || fail "resuming a complete run changed it"
logged "^warpsweep: 0 points to measure (224 done before"
