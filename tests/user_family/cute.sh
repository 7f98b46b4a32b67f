# cute.sh WARPSWEEP, with SOURCE, BUILD, NVCC and NVDISASM in the environment: the example of products of CUTLASS. One of them is compiled, which
# takes minutes; it has the instructions that it is there for, and the host back end runs the family.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
[ -x "${NVCC:-}" ] || { echo "no nvcc here: skipped"; exit 77; }
cutlass=$BUILD/cutlass/cutlass_library/source
[ -d "$cutlass/include" ] ||
    { echo "no headers of CUTLASS, which ./quickstart weekly installs in $BUILD/cutlass: skipped"; exit 77; }

NVCC_APPEND_FLAGS=--no-compress "$SOURCE/examples/cute/build" cute "$SOURCE/src" "$cutlass" pingpong-128-128-2-bf16 >log 2>&1 ||
    fail "the example does not build"
"$WARPSWEEP" check "$SOURCE/examples/cute/job.yaml" --kernels cute >log 2>&1 || fail "check of the job"
logged '^cute_matmul: 32 points, 25 of them unsupported$'

job '{max_time: 10ms, min_samples: 3, max_samples: 5, replicates: 1}' <<'JOB'
  - kernel: cute_matmul
    axes: {variant: [pingpong, cooperative], tile_shape: 128x128, m: [16, 40], n: [24, 20], k: [528, 72]}
JOB
launch 0 1 -o out.h5 --backend host --kernels cute
expect "ok" "$(points out.h5 --where status=ok)" 4
expect "unsupported" "$(points out.h5 --where status=unsupported)" 12
rows out.h5 m,verified --where status=ok | awk '$2 != 24 * $1 { bad = 1 } END { exit bad }' || fail "not all of C was verified"

# The machine code lies in the library as it is.
[ -x "${NVDISASM:-}" ] || { echo "no nvdisasm: machine code is not read"; exit 0; }
grep -abo "$(printf '\177ELF')" cute/cute_matmul.so | cut -d: -f1 | while read -r at; do
    tail -c +$((at + 1)) cute/cute_matmul.so >part
    "$NVDISASM" -c part 2>/dev/null
done >log
for instruction in 'HGMMA\.64x128x16\.F32\.BF16' 'UTMALDG\.[0-9]D\.MULTICAST' UTMASTG; do
    logged "$instruction"
done
! grep -q 'STL\|LDL' log || fail "the product spills"
