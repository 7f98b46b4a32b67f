# The host back end, for real: four ranks share the CPUs, and every possible point is verified and timed.
. "$(dirname "$0")/common.sh"

job '{cache: hot, max_time: 20ms, min_samples: 3, max_samples: 20, replicates: 1}' <<'JOB'
  - kernel: copy
    axes:
      size: [64KiB, 1MiB]
      dtype: [f32, f64]
      stride: [1, 2]
      vector: [1, 4]
JOB
POINTS=16
launch 0 4 -o host.h5 --backend host
complete host.h5
expect "ok" "$(points host.h5 --where status=ok)" 16
expect "back ends" "$(rows host.h5 backend --where status=ok | sort -u)" host
rows host.h5 time_median,verified --where status=ok |
    awk '!($1 > 0 && $2 > 0) { bad = 1 } END { exit bad }' || fail "a point was not timed or not verified"
