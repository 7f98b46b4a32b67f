#!/usr/bin/env bash
# jobs.sh JOB... - each passes `warpsweep check`, says at its top what it shows, and has supported points.
set -euo pipefail
status=0
(($# >= 10)) || { echo "only $# job files"; exit 1; }
for job in "$@"; do
    out=$("$WARPSWEEP" check "$job" 2>&1) || { echo "$job: $out"; status=1; continue; }
    grep -q 'expected .* on one rank' <<<"$out" || { echo "$job: no supported point: $out"; status=1; }
    [[ $(head -c 2 "$job") == '# ' ]] || { echo "$job does not say at its top what it shows"; status=1; }
done

# examples/triton/paper.yaml continues jobs/paper.yaml. The descriptors are Triton's families; other code stands in for theirs.
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for family in triton_add triton_silu_mul triton_matmul; do
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -fPIC -shared -I"$source/src" -I"$source" "$source/examples/triton/$family.c" -o "$folder/$family.so"
    echo 'extern "C" __global__ void add() { int of[] = {BLOCK_SIZE, NUM_WARPS, ELEMENT_SIZE, D}; }' >"$folder/$family.cu"
done
echo 'extern "C" __global__ void matmul() { int of[] = {BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, NUM_WARPS, NUM_STAGES, ELEMENT_SIZE}; }' >"$folder/triton_matmul.cu"
cat "$source/jobs/paper.yaml" "$source/examples/triton/paper.yaml" >"$folder/paper.yaml"
out=$("$WARPSWEEP" check "$folder/paper.yaml" --kernels "$folder" 2>&1) || { echo "with Triton: $out"; status=1; }
grep -q '^triton_add: 36 points$' <<<"$out" || { echo "no points of Triton: $out"; status=1; }
grep -q '^triton_silu_mul: 24 points$' <<<"$out" || { echo "no points of Triton: $out"; status=1; }
out=$("$WARPSWEEP" check "$source/examples/triton/matmul.yaml" --kernels "$folder" 2>&1) || { echo "Triton's product: $out"; status=1; }
grep -q '^triton_matmul: 19 points$' <<<"$out" || { echo "no products of Triton: $out"; status=1; }
# The products of examples/cute, with functions that stand in for CUTLASS's.
cat >"$folder/products.h" <<'HEADER'
#define CUTLASS_VERSION 0
#define PRODUCTS(X) X(cooperative, 128, 256, 1, bf16) X(cooperative, 128, 256, 2, bf16) X(cooperative, 256, 128, 2, bf16) \
    X(pingpong, 128, 128, 1, bf16) X(pingpong, 128, 128, 2, bf16)
HEADER
cat >"$folder/stand_in.c" <<'CODE'
#include "launches.h"
#include "products.h"
#define STAND_IN(s, r, c, b, d) const char *cute_##s##_##r##_##c##_##b##_##d(const struct cute_launch *l) { return l ? "none" : 0; }
PRODUCTS(STAND_IN)
CODE
${CC:-cc} -std=gnu17 -D_GNU_SOURCE -fPIC -shared -I"$source/src" -I"$source/examples/cute" -I"$folder" "$source/examples/cute/cute_matmul.c" \
    "$folder/stand_in.c" -o "$folder/cute_matmul.so"
out=$("$WARPSWEEP" check "$source/examples/cute/job.yaml" --kernels "$folder" 2>&1) || { echo "CUTLASS's products: $out"; status=1; }
grep -q '^cute_matmul: 32 points$' <<<"$out" || { echo "no products of CUTLASS: $out"; status=1; }
! "$WARPSWEEP" check "$folder/paper.yaml" >"$folder/out" 2>&1 || { echo 'Triton without its families passes'; status=1; }
exit $status
