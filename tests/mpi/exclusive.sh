# Points that load the host link have their node to themselves: no other such point beside them, and no other point. Each
# point takes a known time, so what runs side by side shows in how long all of them take.
. "$(dirname "$0")/common.sh"
cat >job.yaml <<'JOB'
title: Exclusive points among others
counters: none
timing: {replicates: 1}
sweeps:
  - kernel: host_copy
    axes: {variant: pinned, direction: [h2d, d2h], size: [1MiB, 2MiB, 4MiB, 8MiB]}
  - kernel: copy
    axes: {size: 1MiB, dtype: f32, block: [32, 64, 128, 256, 512, 1024], items: [1, 2]}
JOB

# Eight exclusive points take 1.2 s one after the other; the twelve others, and twelve repetitions of the canary, which is one of
# those, take 0.9 s on four ranks: 2.1 s. All side by side, or exclusive points beside others, take 1.2 s.
WARPSWEEP_FAKE='sleep=150ms' launch 0 4 -o out.h5 --backend fake --counters none --seed 2
expect "ok" "$(points out.h5 --where status=ok)" 20
expect "repetitions of an exclusive canary" "$(rows out.h5 kernel,repeat --canaries | grep host_copy | grep -vc '	0$')" 0
expect "repetitions of another" "$(rows out.h5 kernel,repeat --canaries | grep -w copy | grep -vc '	0$')" 12
seconds=$(sed -n 's/.*timed out, in \([0-9.]*\)s: .*/\1/p' log)
[ -n "$seconds" ] || fail "no time in the summary"
awk -v s="$seconds" 'BEGIN { exit !(s >= 2) }' || fail "all points took ${seconds}s: some ran beside an exclusive one"
