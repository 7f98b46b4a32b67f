#!/usr/bin/env bash
# oldest_toolkit.sh - the oldest CUDA Toolkit that README.md names builds warpsweep and compiles jobs/paper.yaml, also where
# CUDA_HOME names another one. The toolkit is NVIDIA's Python packages, in the build folder; they have no static runtime.
set -euo pipefail
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
[[ $CUDA == ON ]] || { echo "skipped: a build without CUDA"; exit 77; }
oldest=$(sed -n 's/.*CUDA Toolkit \([0-9]*\.[0-9]*\) or later.*/\1/p' "$SOURCE/README.md" | sed -n 1p)
[[ $oldest ]] || fail "README.md names no oldest CUDA Toolkit"
packages=$BUILD/toolkit-$oldest/packages home=$BUILD/toolkit-$oldest/home built=$BUILD/toolkit-$oldest/build
if [[ ! -d $packages ]]; then
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$packages.part" \
        nvidia-cuda-{nvrtc,runtime,cccl,cupti}-cu12=="$oldest.*" nvidia-cublas-cu12=="$oldest.*" || { echo "skipped: no packages of CUDA $oldest"; exit 77; }
    mv "$packages.part" "$packages"
fi
rm -rf "$home"
mkdir -p "$home/include" "$home/lib64"
for part in cuda_runtime cuda_nvrtc cuda_cccl cuda_cupti; do
    cp -r "$packages/nvidia/$part/include/." "$home/include/"
    cp -r "$packages/nvidia/$part/lib/." "$home/lib64/"
done
cp -r "$packages/nvidia/cublas/include/." "$home/include/" # the library is looked up at run time
for library in "$home"/lib64/lib{nvrtc,cupti}.so.*; do # the packages have no link for the linker
    [[ $library == *builtins* ]] || ln -sf "$(basename "$library")" "${library%%.so.*}.so"
done

CUDA_HOME=$home "$CMAKE" -S "$SOURCE" -B "$built" -G "$GENERATOR" -DBUILD_TESTING=OFF -DCMAKE_PREFIX_PATH="$home" \
    -DCUDA_INCLUDE="$home/include" -DCUDART_STATIC="$home/lib64/libcudart.so.12" >log 2>&1 || fail "configure with CUDA $oldest"
logged "CUDA Toolkit ${oldest/./0}0 at $home"
"$CMAKE" --build "$built" --parallel --target warpsweep warpsweep-worker >log 2>&1 || fail "build with CUDA $oldest"
export LD_LIBRARY_PATH=$home/lib64 WARPSWEEP_CACHE=$built/cache
other=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
for cuda in "$home" "$other"; do
    rm -rf "$WARPSWEEP_CACHE"
    CUDA_HOME=$cuda "$built/bin/warpsweep" check "$SOURCE/jobs/paper.yaml" --arch sm_90a --arch sm_100a >log 2>&1 ||
        fail "jobs/paper.yaml with NVRTC $oldest and CUDA_HOME=$cuda"
    grep -E 'compile' log | tail -n 3
done
for job in hints tensor_matmul mma_rate profile add reduce; do # wide accesses, tcgen05 and block scales, CUB, tensor copies
    "$built/bin/warpsweep" check "$SOURCE/jobs/$job.yaml" --arch sm_90a --arch sm_100a --arch sm_120a >log 2>&1 || fail "jobs/$job.yaml with NVRTC $oldest"
done
