#!/bin/sh
# call.sh WARPSWEEP SOURCE CALLS - calls on a GPU. The example: verified, timed as graphs in every state of L2, counted, and a kernel in a
# call takes the time of the same kernel without one within 0.3 %. Calls that are queued in many ways: those that can be captured
# are, others say why, and wrong ones fail alone. nvcc compiles them here; without it, those in CALLS are used. Skipped (77) where there is no GPU, or neither.
warpsweep=$1 source=$2 calls=$3
. "$(dirname "$0")/common.sh"
command -v nvcc >/dev/null || [ -f "$calls/queues/queues.so" ] || { echo "no nvcc, and no calls that were compiled before: skipped"; exit 77; }
expect() { # expect WHAT IS SHOULD-BE
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}
rows() { # rows FILE COLUMNS [ARGUMENT...]: tab-separated, without the head
    file=$1 columns=$2
    shift 2
    "$warpsweep" table "$file" -c "$columns" "$@" | tail -n +2
}
if command -v nvcc >/dev/null; then
    "$source/examples/call/build" rmsnorm "$source/src" >log 2>&1 || fail "the example does not build"
    mkdir queues
    nvcc -arch=native -shared -Xcompiler -fPIC -I "$source/src" "$source/tests/gpu/queues.c" -o queues/queues.so >log 2>&1 ||
        fail "queues.c does not build"
else
    cp -r "$calls/rmsnorm" "$calls/queues" .
fi

# ---- The example
cat >job.yaml <<'JOB'
title: Calls
counters: memory
timing: {max_time: 100ms}
sweeps:
  - kernel: rmsnorm
    axes: {launch: [kernel, call, staged], rows: [256, 2048], columns: [1024, 8192], dtype: [f32, f16, bf16], cache: [cold, hot]}
  - kernel: rmsnorm
    axes: {launch: [call, staged], cache: [clean, rotate]}
JOB
"$warpsweep" run job.yaml -o calls.h5 --backend cuda --kernels rmsnorm >log 2>&1 || fail "the run fails"
rows calls.h5 status,timer,message -w launch=call,staged >log
expect "calls timed as graphs, without a remark" "$(awk -F'\t' '$1 == "ok" && $2 == "graph" && $3 == ""' log | wc -l)" 52
rows calls.h5 verified,time_median >log
awk '!($1 > 0 && $2 > 0) { bad = 1 } END { exit bad || NR != 76 }' log || fail "not every point is verified and timed"
rows calls.h5 dram_bytes_read -w cache=cold >log
awk '!($1 > 0) { bad = 1 } END { exit bad || NR != 36 }' log || fail "not every cold point is counted"

# What a launch runs is recorded, in about its time: one kernel, or a memset and three.
rows calls.h5 activity -w launch=kernel >log
expect "a kernel without a call is not recorded" "$(grep -c . log)" 0
rows calls.h5 activity -w launch=call >log
expect "calls of one kernel" "$(grep -c '^\[\["[a-z_0-9]*", \[[0-9]*, 1, 1\], \[256, 1, 1\], 1, [-0-9.e]*\]\]$' log)" 26
rows calls.h5 activity -w launch=staged >log
expect "calls of a memset and three kernels" "$(grep -F '["[memset]", ' log | awk -F'", ' 'NF == 5' | wc -l)" 26
rows calls.h5 time_median,activity_span,activity_idle,launch -w launch=call,staged >log
awk -F'\t' '{ ratio = $2 * (1 - $3) / $1; sum[$4] += log(ratio); n[$4]++; idle[$4] += $3; bad += !(ratio > 0.7 && ratio < 1.2 && $3 >= 0) }
    END { for (l in n) printf "launch=%s: its kernels take %.3f of the time measured, %.3f of what is recorded is idle\n", l, exp(sum[l] / n[l]), idle[l] / n[l]
          exit bad || NR != 52 }' log || fail "what was recorded is not about the time"
rows calls.h5 cache,l2_state >log
sed 's/: .*//' log | sort | uniq -c
grep disproved log >/dev/null && fail "the state of L2 is not what the job says"
expect "cold points without a state" "$(awk -F'\t' '$1 == "cold" && $2 == ""' log | wc -l)" 0

# The same kernel, sample by sample: also with several launches per graph. Of f32, NVRTC and nvcc make code that differs: up to 1.1 %.
for cache in cold hot; do
    "$warpsweep" run --kernel rmsnorm --pair launch=kernel,call --set rows=256,2048 --set columns=1024,8192 \
        --set dtype=f16,bf16 --set cache=$cache --kernels rmsnorm --backend cuda -o $cache.h5 >log 2>&1 || fail "the paired run fails"
    "$warpsweep" compare $cache.h5 --points -f tsv >log 2>/dev/null || fail "compare fails"
    awk -F'\t' -v cache=$cache '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { all++; bad += $column["ratio_low"] > 1.003 || $column["ratio_high"] < 0.997
          sum += log($column["ratio"]) }
        END { ratio = exp(sum / all)
              printf "%s: a call takes %.4f of the time of its kernel, %d of %d points beyond 0.3 %%\n", cache, ratio, bad, all
              exit !(all == 8 && !bad && ratio < 1.003 && ratio > 0.997) }' log || fail "a call is not as fast as its kernel"
done

# ---- All ways to queue
"$warpsweep" run --kernel queues --set way=plain,synchronises,allocates,pool,nothing,legacy,unjoined,joined,fails,huge \
    --set timing.max_time=50ms --set timing.replicates=2 --set timing.timeout=60s --counters memory --kernels queues --backend cuda -o queues.h5 >log 2>&1
expect "exit code of a run with points that fail" $? 1
way() { # WAY STATUS TIMER MESSAGE
    rows queues.h5 status,timer,message -w way="$1" >log
    grep -q "^$2.$3.$4" log || fail "way=$1: expected $2, $3, $4"
}
way plain ok graph '$'
way joined ok graph '$'
way pool ok graph ''
way synchronises ok single 'timed launch by launch, because a call cannot be captured: '
way allocates ok single 'timed launch by launch, because a call cannot be captured: '
way nothing failed none 'the call queues nothing on its stream'
way legacy failed none ''
way unjoined failed none 'the call leaves work on another stream'
way fails failed none 'operation not supported'
way huge failed none 'its workspace needs 4096 GiB; .* GiB are free on device '
for recorded in plain synchronises pool; do # also where it cannot be captured, and without a kernel to count
    rows queues.h5 activity -w way=$recorded >log
    grep -q '^\[\["\[memcpy device to device\]", \[0, 0, 0\], \[0, 0, 0\], 1, ' log || fail "way=$recorded: no copy is recorded"
done
