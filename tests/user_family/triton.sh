# triton.sh WARPSWEEP, with SOURCE, BUILD, CMAKE, CC, PYTHON and CUDA in the environment: the example of a compiler's
# kernels. What it compiles is what Triton would run: 1024 elements for 1, 2, 4 and 8 warps.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
export TRITON_CACHE_DIR=$folder/triton PYTHONPATH=$BUILD/triton${PYTHONPATH:+:$PYTHONPATH}
"$PYTHON" -c 'import triton' 2>/dev/null ||
    { echo "no Triton, which ./quickstart test installs in $BUILD/triton: skipped"; exit 77; }
"$CMAKE" --install "$BUILD" --prefix "$folder/prefix" --component headers >log 2>&1 || fail "no headers installed"

# make FOLDER ARGUMENT...
make() {
    "$PYTHON" -W ignore "$SOURCE/examples/triton/build.py" --include "$folder/prefix/include/warpsweep" "$@" >log 2>&1 ||
        fail "build.py $*"
}
make all --block-sizes 1024 --tiles 1
logged 'all/triton_add.code: 24 kernels'
logged 'all/triton_matmul.code: 4 kernels'

# The same twice, without what Triton remembers of the first.
make one --block-sizes 1024 --num-warps 4 --dtypes bf16 --tiles 1
rm -rf triton
make two --block-sizes 1024 --num-warps 4 --dtypes bf16 --tiles 1
rm -f one/*.so two/*.so
diff -r one two >log || fail "the same command makes other files"

job '{max_time: 10ms, min_samples: 3, max_samples: 5, replicates: 1}' <<'JOB'
  - kernel: triton_add
    axes: {dtype: [f16, bf16, f32], rows: 3, columns: [16, 5008], num_warps: [1, 8], block_size: [512, 1024]}
  - kernel: triton_silu_mul
    axes: {dtype: [f16, bf16, f32], batch: 3, d: [16, 1376], num_warps: [1, 8]}
  - kernel: triton_matmul
    axes: {dtype: [f16, bf16, f32], m: [16, 48], n: 32, k: [528, 520]}
  - kernel: triton_matmul # a tile without code
    axes: {m: 16, n: 32, k: 16, block_n: 16}
JOB
launch 0 1 -o out.h5 --backend host --kernels all
expect "ok" "$(points out.h5 --where status=ok)" 28
expect "unsupported" "$(points out.h5 --where status=unsupported)" 21
rows out.h5 time_median,verified --where status=ok |
    awk '!($1 > 0 && $2 > 0) { bad = 1 } END { exit bad }' || fail "a point was not timed or not verified"

[ "$CUDA" = ON ] || { echo "built without a CUDA Toolkit: nothing looks into the code"; exit 0; }
# Every kernel is what its list says, for both architectures.
cat >all.yaml <<'JOB'
sweeps:
  - kernel: triton_add
    axes: {dtype: [f16, bf16, f32], num_warps: [1, 2, 4, 8]}
  - kernel: triton_silu_mul
    axes: {dtype: [f16, bf16, f32], num_warps: [1, 2, 4, 8]}
  - kernel: triton_matmul
    axes: {dtype: [f16, bf16]}
JOB
"$WARPSWEEP" check all.yaml --kernels all --arch sm_90 --arch sm_100 >log 2>&1 || fail "check"
expect "architectures that compile" "$(grep -c 'all 26 kernels compile' log)" 2
"$WARPSWEEP" check all.yaml --kernels all --arch sm_90 --arch sm_100 --sass >log 2>&1
case $? in
    0) ;;
    *) grep -q "there is no nvdisasm" log || fail "check --sass"
       echo "$(grep "there is no nvdisasm" log): machine code is not read"
       exit 0 ;;
esac
# Both families, for both architectures: loads and stores of a warp, its warps, type, and bytes per lane. The block-sizing
# experiment: 8 bf16 an access at 4 warps, 4 at 8.
for row in "8 4 1 bf16 16" "4 2 2 bf16 16" "2 1 4 bf16 16" "2 1 8 bf16 8" "2 1 4 f16 16" "4 2 4 f32 16" "2 1 8 f32 16"; do
    set -- $row
    expect "kernels with the accesses of $row" "$(awk -v RS= -v loads="$1" -v stores="$2" -v point="dtype=$4 .*num_warps=$3 " -v width="$5" '
        $0 ~ "^triton_(add|silu_mul) .*" point && gsub(/\n  (LDG|STG) /, "&") == 2 &&
        $0 ~ "\n  LDG +" width " bytes per lane  " loads "\n" && $0 ~ "\n  STG +" width " bytes per lane  " stores "$"' log |
        grep -c '^triton')" 4
done
