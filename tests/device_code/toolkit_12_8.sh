#!/usr/bin/env bash
# toolkit_12_8.sh BUILD SOURCE - device code with NVRTC 12.8, the oldest toolkit that the README promises: wheels of PyPI, which the worker
# loads by a libnvrtc.so.13 that forwards to them. Kernels with accesses of 32 bytes, tcgen05 and block scales, CUB and tensor copies.
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
folder=$build/toolkit_12_8
mkdir -p "$folder"
if [[ ! -e $folder/done ]]; then
    python3 -m pip install -q --no-deps --target "$folder" nvidia-cuda-nvrtc-cu12==12.8.93 nvidia-cuda-runtime-cu12==12.8.90 \
        nvidia-cuda-cccl-cu12==12.8.90 >"$folder/pip.log" 2>&1 || { echo "skipped: no wheels of CUDA 12.8: $(tail -1 "$folder/pip.log")"; exit 77; }
    touch "$folder/done"
fi
soname=$(objdump -p "$build/bin/warpsweep-worker" | sed -n 's/ *NEEDED *\(libnvrtc\.so\.[0-9]*\)/\1/p')
[[ $soname ]] || { echo "skipped: this build has no NVRTC"; exit 77; }
echo "$soname { global: nvrtc*; local: *; };" >"$folder/map"
cc -shared -fPIC -O1 -Wl,-soname,"$soname" -Wl,--version-script="$folder/map" -o "$folder/$soname" "$source/tests/device_code/nvrtc_of_another.c" -ldl
export NVRTC_LIBRARY=$folder/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 CUDA_HOME=$folder/nvidia/cuda_runtime WARPSWEEP_CACHE=$build/device_code
export LD_LIBRARY_PATH=$folder:$folder/nvidia/cuda_nvrtc/lib
failed=0
for job in hints tensor_matmul mma_rate profile add reduce; do
    "$build/bin/warpsweep" check "$source/jobs/$job.yaml" --arch sm_90a --arch sm_100a --arch sm_120a >"$folder/out" 2>&1 ||
        { echo "$job.yaml with NVRTC 12.8:"; cat "$folder/out"; failed=1; }
    grep 'kernels compile$' "$folder/out" | sed "s/^/$job: /"
done
exit "$failed"
