# A paired run: two versions of a family are measured together, whole also after faults, a kill and a resumed run; verdicts find
# the ratio that is planted.
. "$(dirname "$0")/common.sh"
source=$here/../..
for version in a b; do
    mkdir $version
    cp "$source/examples/family/triad.cu" $version
    "${CC:-cc}" -std=gnu17 -shared -fPIC -I "$source/src" -I "$source" "$source/examples/family/triad.c" -o $version/triad.so ||
        fail "the family does not build"
done
job '{max_time: 1s, timeout: 2s, replicates: 4}' <<'JOB'
  - kernel: triad
    axes:
      variant: [plain, restrict]
      size: [64KiB, 128KiB, 256KiB, 1MiB, 4MiB]
      dtype: [f32, f64]
      block: [128, 256]
  - kernel: copy
    axes: {size: 1MiB}
JOB
POINTS=81 POSSIBLE=81 PAIRS=40
pair="--kernels a=a --kernels b=b"

# whole FILE PAIRS PROCESSES: so many pairs name each other, and were measured by so many processes, alike on both sides.
whole() {
    rows "$1" id,paired_with,processes,sample_count --where status=ok --where repeat=0 -k triad | sort >ids
    awk -F'\t' -v processes="$3" '$2 != "" && $3 == processes { with[$1] = $2; samples[$1] = $4 }
        END { for (i in with) n += with[with[i]] == i && samples[i] == samples[with[i]]; print n / 2 }' ids >whole
    expect "whole pairs in $1" "$(cat whole)" "$2"
}
# verdicts FILE [ARGUMENT...]: "faster slower same uncertain other".
verdicts() {
    reader compare "$@" --points -f tsv >points.tsv 2>told || fail "compare: $(cat told)"
    awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "verdict") c = i; next } { n[$c]++; all++ }
        END { print n["faster"] + 0, n["slower"] + 0, n["same"] + 0, n["uncertain"] + 0,
              all - n["faster"] - n["slower"] - n["same"] - n["uncertain"] }' points.tsv
}

# Nothing planted: all the same, whatever order costs. What order costs is told.
export WARPSWEEP_FAKE='noise=0.003;second=1.004'
launch 0 2 -o same.h5 --backend fake $pair
logged "measured in pairs: 40"
logged "kernel copy is not in both folders of --kernels: it is measured without a pair"
complete same.h5
whole same.h5 $PAIRS 4
expect "verdicts of the same" "$(verdicts same.h5 --threshold 0.5%)" "0 0 40 0 0"
expect "verdicts of the same at 0.1 %" "$(verdicts same.h5 | cut -d' ' -f1,2,5)" "0 0 0"
grep -q 'coming second .*: +0\.[34]' told || fail "the effect of order is not told: $(cat told)"
expect "pairs of the other family" "$(rows same.h5 paired_with -k copy | grep -c .)" 0

# Half a percent in half of the points, two percent the other way in the other half.
WARPSWEEP_FAKE='noise=0.003;slow=1.005:version=b,variant=plain;slow=1.02:version=a,variant=restrict'
launch 0 2 -o planted.h5 --backend fake $pair
expect "planted verdicts" "$(verdicts planted.h5)" "20 20 0 0 0"
reader compare planted.h5 --baseline b --where variant=plain -f tsv >turned.tsv 2>/dev/null || fail "the baseline cannot be changed"
grep -q "^b	a	triad	0\.99[45]" turned.tsv || fail "the ratio does not turn round: $(cat turned.tsv)"
reader compare planted.h5 --fail-above 0.2% >log 2>&1
expect "exit code of --fail-above" $? 1

# Killed in the middle and resumed: every pair is whole again.
WARPSWEEP_FAKE='noise=0.003;sleep=20ms'
start 2 -o killed.h5 --backend fake $pair
pid=$!
until_rows killed.h5 30
kill -9 $(ranks_of $pid)
wait $pid
launch 0 2 -o killed.h5 --backend fake $pair --resume
complete killed.h5
whole killed.h5 $PAIRS 4
WARPSWEEP_FAKE='noise=0.003'
launch 0 2 -o killed.h5 --backend fake $pair --resume
logged "0 points to measure"
launch 3 2 -o killed.h5 --backend fake --kernels b=a --kernels a=b --resume
logged "  pairs "

# More processes are added to pairs.
sed -i 's/replicates: 4/replicates: 6/' job.yaml
launch 0 2 -o killed.h5 --backend fake $pair --resume
whole killed.h5 $PAIRS 6
sed -i 's/replicates: 6/replicates: 3/' job.yaml

# One version fails, or kills its worker: the other is an ordinary measurement, and the pair has a reason in place of a verdict.
for fault in fail crash; do
    WARPSWEEP_FAKE="noise=0.003;$fault:version=b,size=1MiB"
    launch 1 2 -o $fault.h5 --backend fake $pair
    complete $fault.h5
    whole $fault.h5 32 3
    expect "$fault: good points of the other version" "$(points $fault.h5 --where status=ok --where size=1MiB --where version=a)" 8
    expect "$fault: bad points" "$(points $fault.h5 --where version=b --where 'status!=ok')" 8
    expect "$fault: verdicts" "$(verdicts $fault.h5 --threshold 1% | cut -d' ' -f3,5)" "32 8"
    expect "$fault: reasons" "$(rows $fault.h5 message --where repeat=0 --where size=1MiB --where version=a | grep -c 'timed without its pair')" 8
    grep -q '8 pairs without a verdict: one version has no time' told || fail "$fault: no reason: $(cat told)"
done

# A further process of one version fails while it samples: nothing of it counts, on both sides.
WARPSWEEP_FAKE='noise=0.003;slow=100:replicate=1,size=1MiB;break:version=b,size=1MiB,replicate=1'
launch 1 2 -o broken.h5 --backend fake $pair
complete broken.h5
whole broken.h5 32 3
expect "pairs of the first process alone" "$(points broken.h5 --where status=ok --where size=1MiB --where processes=1 --where processes_failed=2 -k triad)" 16
expect "reasons of their partners" "$(rows broken.h5 message -k triad --where version=a | grep -c 'a process failed: the other point of its pair failed')" 8
expect "times of failed processes" "$(rows broken.h5 time_median --where 'time_median>1.1ms' | grep -c .)" 0

# A fault that passes: the pair is tried again, whole.
sed -i 's/replicates: 3/replicates: 1/' job.yaml
WARPSWEEP_FAKE='noise=0.003;sleep=100ms:rank=1;crash:size=128KiB,dtype=f32,block=128,version=b,rank=0' # most of the points are of rank 0
launch 0 2 -o retried.h5 --backend fake $pair
complete retried.h5
whole retried.h5 $PAIRS 1
[ "$(points retried.h5 --where attempts=2)" -ge 2 ] || fail "nothing was tried again"

# What one product does not support is measured on another, whole.
WARPSWEEP_FAKE='noise=0.003;lack:version=b,size=1MiB'
launch 0 1 -o products.h5 --backend fake $pair
expect "unsupported points" "$(points products.h5 --where status=unsupported)" 8
WARPSWEEP_FAKE='noise=0.003;product=1'
launch 0 1 -o products.h5 --backend fake $pair --resume --append-device
whole products.h5 $PAIRS 1
sed -i 's/replicates: 1/replicates: 3/' job.yaml

# Counters of both versions; every device measures every pair; a part of the points.
WARPSWEEP_FAKE='noise=0.003'
launch 0 2 -o counted.h5 --backend fake $pair --counters memory
expect "counted points" "$(points counted.h5 --where counters_status=counted)" $POINTS
whole counted.h5 $PAIRS 3
sed -i 's/replicates: 3/replicates: 2, devices: all/' job.yaml
launch 0 2 -o all.h5 --backend fake $pair
whole all.h5 $PAIRS 4
expect "verdicts of two devices" "$(verdicts all.h5 | cut -d' ' -f1,2,5)" "0 0 0"
WARPSWEEP_FAKE='noise=0.003;fail:version=a,size=1MiB'
launch 1 2 -o half.h5 --backend fake $pair
sed -i 's/replicates: 2/replicates: 3/' job.yaml
launch 1 2 -o half.h5 --backend fake $pair --resume
expect "good points of half pairs with added processes" "$(points half.h5 --where version=b --where size=1MiB --where processes=6)" 8
WARPSWEEP_FAKE='noise=0.003'
sed -i 's/replicates: 3, devices: all/replicates: 2/' job.yaml
launch 0 1 -o part1.h5 --backend fake $pair --share 1/2
launch 0 1 -o part2.h5 --backend fake $pair --share 2/2
for part in part1 part2; do
    "$WARPSWEEP" status $part.h5 >log || fail "$part is not done"
    "$WARPSWEEP" merge $part.h5 -o copy-of-$part.h5 >log || fail "a copy of $part is not done"
done
"$WARPSWEEP" merge part1.h5 part2.h5 -o parts.h5 >log 2>&1 || fail "the parts do not merge"
whole parts.h5 $PAIRS 2
expect "verdicts of merged parts" "$(verdicts parts.h5 | cut -d' ' -f5)" 0

# Two values of an axis are pairs as well, unless the buffers depend on it.
launch 0 2 -o values.h5 --backend fake --kernels a --pair size=64KiB,128KiB
expect "pairs of sizes" "$(rows values.h5 paired_with -k triad | grep -c .)" 0
expect "sizes are apart" "$(rows values.h5 message -k triad | sort -u)" "timed without its pair: their buffers differ"
rm -f values.h5
launch 0 2 -o values.h5 --backend fake --kernels a --pair block=128,256
expect "processes" "$(points values.h5 --where processes=2 -k triad)" 40
reader compare values.h5 --points -f tsv >points.tsv 2>told || fail "compare: $(cat told)"
expect "pairs of blocks" "$(tail -n +2 points.tsv | cut -f1-3 | sort | uniq -c | tr -s ' ')" " 1 128	256	copy
 20 128	256	triad"
reader compare values.h5 --by variant >/dev/null 2>&1 || fail "a paired file has no other comparison"

# The host's references in the same process: the whole chain without a device.
sed -i 's/size: \[64KiB.*/size: 64KiB/; s/min_samples/&/; s/max_time: 1s/cache: hot, max_time: 20ms, max_samples: 40/' job.yaml
unset WARPSWEEP_FAKE
launch 0 1 -o host.h5 --backend host $pair
whole host.h5 8 2
expect "verdicts of the host" "$(verdicts host.h5 | awk '{ print $1 + $2 + $3 + $4, $5 }')" "8 0"

# What is refused, and how.
refused() {
    text=$1
    shift
    "$WARPSWEEP" run job.yaml -o never.h5 --backend fake "$@" >log 2>&1
    expect "exit code of $*" $? 2
    logged "$text"
}
mkdir empty other
refused 'a paired run needs two versions' --kernels a=a
refused "both versions are named 'a'" --kernels a=a --kernels a=b
refused 'each needs a name' --kernels a --kernels b
refused 'given more than twice' --kernels a=a --kernels b=b --kernels c=b
refused 'b=nowhere: No such file' --kernels a=a --kernels b=nowhere
refused 'empty has no kernels' --kernels a=a --kernels b=empty
sed 's/AXIS_BLOCK("256")/AXIS_BLOCK("128")/' "$source/examples/family/triad.c" >other/triad.c
cp a/triad.cu other
"${CC:-cc}" -std=gnu17 -shared -fPIC -I "$source/src" -I "$source" other/triad.c -o other/triad.so || fail "it does not build"
refused "axis 'block' of version a and axis 'block' of version b differ in their standard value" --kernels a=a --kernels b=other
sed 's/"triad"/"quad"/' "$source/examples/family/triad.c" >other/quad.c
sed 's/triad/quad/' a/triad.cu >other/quad.cu
"${CC:-cc}" -std=gnu17 -shared -fPIC -I "$source/src" -I "$source" other/quad.c -o other/quad.so || fail "it does not build"
rm other/triad.*
refused 'have no kernel in common' --kernels a=a --kernels b=other
cp a/triad.* other
printf '%s\n' 'counters: none' 'sweeps:' '  - kernel: quad' '    axes: {size: 64KiB}' >job.yaml
refused 'no point of this job has two versions' --kernels a=a --kernels b=other

# Another harness times a point by itself.
job '{max_time: 1s, replicates: 1}' <<'JOB'
  - kernel: harness
    axes: {size: 1MiB}
JOB
WARPSWEEP_FAKE='noise=0.003' launch 0 1 -o harness.h5 --backend fake --pair harness=warpsweep,do_bench
expect "points of another harness" "$(rows harness.h5 message --where status=ok | grep -c 'timed without its pair: .* harness')" 2

# One point is unsupported and the other fails: both are counted after the retry, during which the run is stopped.
job '{max_time: 1s, timeout: 5s, replicates: 1}' <<'JOB'
  - kernel: triad
    axes: {variant: plain, size: 1MiB, dtype: f32, block: 128}
  - kernel: copy
    axes: {size: 1MiB}
JOB
export WARPSWEEP_FAKE='sleep=1s:kernel=triad;fail:version=a;lack:version=b'
start 1 -o stopped.h5 --backend fake --kernels a=a --kernels b=b
until [ "$(points stopped.h5 2>/dev/null)" = 3 ]; do sleep 0.1; done
kill -USR1 $(ranks_of $!)
wait $!
expect "points of the retry" "$(points stopped.h5 --where kernel=triad --where attempts=2)" 2
! grep -q 'stopped after' log || fail "a run that is done says that it is not"
echo "pairs are whole"
