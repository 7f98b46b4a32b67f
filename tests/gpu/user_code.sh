#!/bin/sh
# user_code.sh WARPSWEEP CC SOURCE MAKE_CODE - a family of cubins and PTX on a GPU: a cubin, PTX that ptxas assembles, and PTX
# that is left to the driver are verified, timed and counted, and are as fast as the same source compiled here. Skipped (77)
# where there is no GPU.
warpsweep=$1 cc=$2 source=$3 make_code=$4
. "$(dirname "$0")/common.sh"
arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n 1p | tr -d .)
mkdir given compiled
for folder_of in given compiled; do
    "$cc" -std=gnu17 -shared -fPIC -I "$source/src" "$source/examples/family/triad.c" -o $folder_of/triad.so || exit 1
done
cp "$source/examples/family/triad.cu" compiled
for variant in plain:$arch:cubin restrict:compute_80:ptx; do
    rest=${variant#*:}
    for type in f32:float:4 f64:double:8; do
        bytes=${type#*:}
        file=${variant%%:*}-${type%%:*}.${rest#*:}
        "$make_code" compiled/triad.cu "${rest%:*}" "given/$file" -DBLOCK=256 "-Dvariant_${variant%%:*}=1" \
            "-DELEMENT=${bytes%:*}" "-DELEMENT_SIZE=${bytes#*:}" >log 2>&1 || fail make_code
        echo "variant=${variant%%:*} dtype=${type%%:*} block=256 | ${rest%:*} | $file | threads=256" >>given/triad.code
    done
done
cat >job.yaml <<'JOB'
title: Code that another compiler made
counters: memory
sweeps:
  - kernel: triad
    axes: {variant: [plain, restrict], dtype: [f32, f64], size: [64KiB, 64MiB]}
JOB
# measure FILE FOLDER: all eight points are measured, and right.
measure() {
    "$warpsweep" run job.yaml -o "$1" --backend cuda --kernels "$2" >log 2>&1 || fail "run $1"
    [ "$("$warpsweep" table "$1" --columns kernel --where status=ok | tail -n +2 | grep -c triad)" = 8 ] || fail "$1 lacks points"
    "$warpsweep" table "$1" --columns time_median,verified,registers,dram_read_bytes | tail -n +2 |
        awk '!($1 > 0 && $2 > 0 && $3 > 0) { bad = 1 } END { exit bad }' || fail "$1: not verified, or nothing known of its code"
}
measure given.h5 given
PTXAS=/nowhere
export PTXAS
measure driver.h5 given
measure compiled.h5 compiled
for file in given.h5 driver.h5; do
    "$warpsweep" compare compiled.h5 $file --points
    "$warpsweep" compare compiled.h5 $file --fail-above 5% >log 2>&1 || fail "$file is slower than the same source compiled here"
done
