#!/usr/bin/env bash
# check --arch compiles without a GPU; a kernel that does not compile is exit code 1 with the compiler's words.
source "$(dirname "$0")/setup.sh"
cd "$D"
printf 'sweeps:\n  - kernel: copy\n    axes: {dtype: [u8, f64], vector: [1, 2, 16]}\n' >job.yaml
status=0
"$WARPSWEEP" check job.yaml --arch sm_90 --arch sm_100a >out 2>errors || status=$?
if grep -q 'needs a build with CUDA' errors; then
    [[ $status == 3 ]] || fail "no compiler: exit $status"
    echo "skipped: this build has no CUDA"
    exit 77
fi
[[ $status == 0 ]] || fail "check --arch: exit $status: $(cat errors)"
for arch in sm_90 sm_100a; do
    grep -q "$arch: all 5 kernels compile" out || fail "$(cat out)"
done
# Explicit architectures stay what they are; those a device of --arch cannot run are not compiled for it.
printf 'sweeps:\n  - kernel: copy\n    axes: {arch: [native, compute_80, sm_90a]}\n' >job.yaml
"$WARPSWEEP" check job.yaml --arch sm_100a >out
grep -q 'sm_100a: all 2 kernels compile' out || fail "$(cat out)"
grep -q 'sm_90a code does not run on compute capability 10.0' out || fail "$(cat out)"
# What an architecture lacks is refused before compiling, though the device of that capability has it.
for arch in sm_100f sm_100; do
    "$WARPSWEEP" check --kernel mma_rate --set variant=tcgen05 --set dtype=u8 --set shape_n=64 --set block=128 --arch $arch >out 2>errors || true
    grep -Eq 'unsupported +1 +tcgen05 ' out && [[ ! -s errors ]] || fail "$arch: $(cat out errors)"
done
# An architecture that this compiler has left.
status=0
"$WARPSWEEP" check job.yaml --arch sm_50 >out 2>errors || status=$?
[[ $status == 1 ]] || fail "sm_50: exit $status: $(cat out errors)"
grep -q 'arch=sm_50 does not compile' errors || fail "$(cat errors)"
grep -qi 'gpu-architecture' errors || fail "the compiler's words are missing: $(cat errors)"
# Of many kernels of several families it is one complaint, and their number.
printf 'sweeps: [{kernel: copy, axes: {dtype: [u8, f16, f32], vector: [1, 2]}}, {kernel: gather}]\n' >several.yaml
"$WARPSWEEP" check several.yaml --arch sm_50 >out 2>errors && fail "sm_50 compiles"
[[ $(grep -c 'gpu-architecture' errors) == 1 ]] || fail "a complaint a kernel: $(cat errors)"
grep -q '6 more kernels do not compile, for the same reasons' errors || fail "$(cat errors)"

# Intervals of two processes mostly say nothing; those of three do not.
for replicates in 2 3; do
    printf 'timing: {replicates: %d}\nsweeps: [{kernel: copy}]\n' $replicates >few.yaml
    "$WARPSWEEP" check few.yaml >"out $replicates" 2>&1 || fail "$(<"out $replicates")"
done
grep -q '^warning: 2 replicates: a 95 % interval is 12.7 standard errors' 'out 2' && ! grep -q 'warning' 'out 3' || fail "two replicates"

# A million points.
cat >million.yaml <<'END'
sweeps:
  - kernel: copy
    axes:
      size: {from: 1MiB, to: 100MiB, step: 1MiB}
      stride: {from: 1, to: 100, step: 1}
      offset: {from: 0, to: 99, step: 1}
END
/usr/bin/env time -f '%e s, %M KiB' "$WARPSWEEP" check million.yaml >out 2>errors || "$WARPSWEEP" check million.yaml >out
grep -q '1000000 points' out || fail "$(cat out)"
cat errors
