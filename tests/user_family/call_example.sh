# call_example.sh WARPSWEEP, with NVCC, CALLS and CUDA in the environment: examples/call, which the build has built by its own script, is
# read, compiled and run, and what tests/gpu/call.sh takes to a device is there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
[ -x "${NVCC:-}" ] || { echo "no nvcc here: skipped"; exit 77; }
source=$here/../..

cp -r "$CALLS/rmsnorm" . || fail "the build has not made rmsnorm.so"
"$WARPSWEEP" kernels queues --kernels "$CALLS/queues" >log 2>&1 || fail "queues.so is not loaded"
logged 'synchronises, allocates'
"$WARPSWEEP" kernels rmsnorm --kernels rmsnorm >log 2>&1 || fail "rmsnorm.so is not loaded"
logged 'Call: its function `call` queues the launches; the host back end runs the reference'

cp "$source/examples/call/job.yaml" job.yaml
if [ "$CUDA" = ON ]; then # one kernel per type: calls need none
    "$WARPSWEEP" check job.yaml --kernels rmsnorm --arch sm_90 >log 2>&1 || fail "its kernel does not compile"
    logged 'all 3 kernels compile'
fi
launch 0 1 -o out.h5 --backend host --kernels rmsnorm --set rows=7 --set columns=1000,1025 --set cache=hot --set timing.max_time=10ms \
    --set timing.replicates=1
rows out.h5 launch,columns,status,verified --where verified\>0 >log
expect "points" "$(awk '$3 == "ok" && $4 == 7 * $2' log | wc -l)" 18
expect "points of calls" "$(awk '$1 == "staged" || $1 == "call"' log | wc -l)" 12

"$WARPSWEEP" run --kernel rmsnorm --pair launch=kernel,call --set rows=7 --set columns=1000,1025 --set dtype=f32,f16 \
    --set cache=hot --set timing.max_time=10ms --kernels rmsnorm --backend host -o pairs.h5 >log 2>&1 || fail "the paired run fails"
reader compare pairs.h5 --points -f tsv >log 2>/dev/null || fail "compare fails"
expect "pairs" "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["ratio_low"] > 0 && $column["ratio_high"] > 0' log | wc -l)" 4
