#!/bin/sh
# host_copy.sh WARPSWEEP CC SOURCE PROBE - copies over the host link on a GPU: both ways, zero-copy, write-combined, by NUMA node,
# each with work where that is supported, at odd sizes too. Every supported point is ok; a wrong kernel is found; bandwidths
# agree within 5 % with what link_probe.cu has before or after, which nvcc compiles here (PROBE is used if there is no nvcc). Then the sweeps of jobs/host_copy.yaml that only these have. Skipped (77) without a GPU.
warpsweep=$1 cc=$2 source=$3 probe=$4
. "$(dirname "$0")/common.sh"
if command -v nvcc >/dev/null; then
    nvcc -O3 -std=c++17 -arch=native "$source/tests/gpu/link_probe.cu" -o probe >log 2>&1 && probe=./probe || fail "link_probe.cu"
elif [ ! -x "$probe" ]; then
    echo "no nvcc, and no probe that was compiled before: bandwidths are not compared"
    probe=
fi
cat >job.yaml <<'JOB'
title: Host copies of all kinds
counters: none
timing: {cache: hot, max_time: 100ms, replicates: 1}
sweeps:
  - kernel: host_copy
    axes:
      variant: [pageable, pinned, overlapped, round_trip, zero_copy]
      direction: [h2d, d2h, both]
      memory: [cached, write_combined]
      numa: [any, 0, 1]
      work: [0, 256]
      size: [4, 4012, 1MiB, 96MiB]
  - kernel: host_copy
    axes:
      variant: [pinned, overlapped]
      direction: both
      memory: [cached, write_combined]
      size: [4012, 4MiB]
      chunk: [400, 64KiB, 1MiB]
      streams: [1, 3, 8]
  - kernel: host_copy
    axes:
      variant: zero_copy
      direction: [h2d, d2h, both]
      memory: [cached, write_combined]
      width: [4, 8, 16]
      blocks: [1, 13, 1024]
      size: [16, 4016, 1MiB]
      cache: [cold, hot]
JOB
# reasons FILE: why points are not ok.
reasons() {
    "$warpsweep" table "$1" -w status!=ok -c status,message | tail -n +2 | sort | uniq -c
}
# all JOB FILE: measure the job; every supported point is ok.
all() {
    "$warpsweep" run "$1" -o "$2" --backend cuda >log 2>&1 || fail "$1"
    "$warpsweep" table "$2" -c status | tail -n +2 | sort | uniq -c
    reasons "$2"
    [ "$("$warpsweep" table "$2" -c status | grep -c '^ok$')" -gt 0 ] || fail "$1: no point is ok"
    elsewhere="unavailable	host memory cannot lie on NUMA node" # a machine may have one node
    [ "$("$warpsweep" table "$2" -c status,message | tail -n +2 | grep -cvE "^((ok|unsupported)	|$elsewhere)")" -eq 0 ] || fail "$1: points are not ok"
}
all job.yaml all.h5
for wanted in variant=pinned,direction=both variant=overlapped,direction=both variant=zero_copy,direction=h2d \
    variant=zero_copy,direction=d2h variant=zero_copy,direction=both variant=pinned,memory=write_combined variant=pinned,numa=0; do
    set --
    for condition in $(echo $wanted | sed -e 's/,/ /g'); do set -- "$@" -w "$condition"; done
    "$warpsweep" table all.h5 "$@" -c status | grep >/dev/null '^ok$' || {
        "$warpsweep" table all.h5 "$@" -c message | sort | uniq -c
        case $wanted in *numa*) echo "no memory could be bound to a NUMA node" ;; *) fail "no point of $wanted is ok" ;; esac
    }
done

# A kernel that leaves out the mark of one word in 65,537: zero-copy and overlapped points fail, copies alone do not.
mkdir wrong
printf '%s\n' '#define family_host_copy warpsweep_family' '#include "kernels/host_copy/host_copy.c"' \
    'const int warpsweep_family_abi = FAMILY_ABI; const char host_copy_source[1], host_copy_claims[1];' >wrong.c
sed -e 's/"host_copy"/"wrong_copy"/; s/= host_copy_source/= NULL/; s/= host_copy_claims/= NULL/' "$source/kernels/host_copy/host_copy.c" >host_copy_wrong.c
sed -i 's/kernels.host_copy.host_copy.c/host_copy_wrong.c/' wrong.c
"$cc" -std=gnu17 -shared -fPIC -I "$source/src" -I "$source" -I . wrong.c -o wrong/wrong_copy.so >log 2>&1 || fail "wrong.c"
sed -e 's/) | 1;/) | (i % 65537 != 65536);/' "$source/kernels/host_copy/host_copy.cu" >wrong/wrong_copy.cu
cmp -s wrong/wrong_copy.cu "$source/kernels/host_copy/host_copy.cu" && fail "nothing was planted"
"$warpsweep" run --kernel wrong_copy --kernels wrong --set variant=pinned,overlapped,zero_copy --set direction=h2d,d2h,both --set memory=cached,write_combined \
    --set size=4MiB --set counters=none --set timing.max_time=50ms -o wrong.h5 --backend cuda >log 2>&1
[ "$("$warpsweep" table wrong.h5 -w variant=overlapped,zero_copy -w repeat=0 -c status | tail -n +2 | sort | uniq -c | awk '{ print $1, $2 }')" = "12 failed" ] ||
    fail "the planted error is not found at all points"
[ "$("$warpsweep" table wrong.h5 -w variant=pinned -w repeat=0 -c status | tail -n +2 | sort | uniq -c | awk '{ print $1, $2 }')" = "6 ok" ] ||
    fail "copies without the wrong kernel are not ok"
echo "the planted error is found at 12 of 12 points"

# Bandwidths beside those of the probe.
cat >bandwidth.yaml <<'JOB'
title: Bandwidths of the host link
counters: none
timing: {cache: hot}
sweeps:
  - {kernel: host_copy, axes: {variant: pinned, direction: [h2d, d2h, both], size: 256MiB}}
  - {kernel: host_copy, axes: {variant: pinned, memory: write_combined, size: 256MiB}}
  - {kernel: host_copy, axes: {variant: zero_copy, direction: [h2d, d2h, both], size: 256MiB, width: 16}}
JOB
if [ "$probe" ]; then
    "$probe" >before || fail "the probe"
    all bandwidth.yaml bandwidth.h5
    "$probe" >after || fail "the probe"
    "$warpsweep" table bandwidth.h5 -w repeat=0 -c variant,direction,memory,bandwidth | tail -n +2 | awk -F'\t' '{
        name = $3 == "write_combined" ? $3 : $1 == "pinned" ? $2 : "zero_copy_" ($2 == "h2d" ? "read" : $2 == "d2h" ? "write" : "both")
        printf "%s\t%.3f\n", name, $4 / 1e9 }' >ours
    # The link's rates change by several percent within a minute, mostly those of both ways at once.
    cat before after | awk -F'\t' 'NR == FNR { ours[$1] = $2; next }
        { if (!($1 in least) || $2 < least[$1]) least[$1] = $2; if ($2 > most[$1]) most[$1] = $2 }
        END { print "GB/s: what, warpsweep, least and most of the probe"
              for (k in most) { seen++; printf "%s\t%.2f\t%.2f\t%.2f\n", k, ours[k], least[k], most[k]
                  if (!(ours[k] >= 0.95 * least[k] && ours[k] <= 1.05 * most[k])) bad = 1 }
              exit bad || seen != 7 }' ours - || fail "a bandwidth differs by over 5 %"
fi
echo "Points of 96 MiB:"
"$warpsweep" table all.h5 -w size=96MiB -w work=0 -w status=ok -c variant,direction,memory,numa,bandwidth,fraction_peak,headroom -s variant || fail "table"
if [ "$WARPSWEEP_GPU_JOB" ]; then # also the whole job, and its figures, into that folder
    "$warpsweep" run "$source/jobs/host_copy.yaml" -o "$WARPSWEEP_GPU_JOB/host_copy.h5" --backend cuda >log 2>&1 || fail "jobs/host_copy.yaml"
    "$warpsweep" report "$WARPSWEEP_GPU_JOB/host_copy.h5" --time | sed -n 1,20p
fi
exit 0
