#!/bin/sh
# matrix.sh WARPSWEEP CC SOURCE - five points that go wrong, each in its own way, and one that fits no device, amid 90 good ones: each costs itself alone, and is
# told. Skipped (77) where there is no GPU.
warpsweep=$1 cc=$2 source=$3
. "$(dirname "$0")/common.sh"
mkdir family
"$cc" -std=gnu17 -shared -fPIC -I "$source/src" -I "$source" "$source/tests/gpu/faulty.c" -o family/faulty.so &&
    cp "$source/tests/gpu/faulty.cu" family/ || exit 1
cat >job.yaml <<'JOB'
title: Six bad points amid ninety good ones
timing: {max_time: 50ms, timeout: 10s, replicates: 1}
sweeps:
  - kernel: faulty
    axes: {variant: none, size: {from: 64KiB, to: 1920KiB, step: 64KiB}, block: [128, 256, 512]}
  - kernel: faulty
    axes: {variant: [bounds, misaligned, assertion, endless, wrong, memory]}
JOB
before=$(date +%s)
"$warpsweep" run job.yaml -o out.h5 --backend cuda --kernels family >log 2>&1
code=$?
took=$(($(date +%s) - before))
[ $code -eq 1 ] || fail "exit code $code, not 1"
[ $took -le 180 ] || fail "$took s"
rows() { "$warpsweep" table out.h5 --columns "$@" 2>/dev/null | tail -n +2; }
[ "$(rows id --where repeat=0 | sort -u | wc -l)" -eq 96 ] || fail "not every point once"
[ "$(rows id --where repeat=0 --where variant=none --where status=ok | wc -l)" -eq 90 ] || fail "good points are not ok"
[ "$(rows id --where repeat=0 --where variant=none --where counters_status=pending | wc -l)" -eq 0 ] || fail "counters are pending"
rows variant,status,attempts --where repeat=0 | grep -v '^none' | sort >got
cat >expected <<'ROWS'
assertion	crashed	2
bounds	crashed	2
endless	timed_out	2
memory	unsupported	1
misaligned	crashed	2
wrong	failed	2
ROWS
diff expected got || fail "statuses are otherwise"
rows variant,message --where repeat=0 --where status=crashed,failed,timed_out
echo "as expected, in $took s"
