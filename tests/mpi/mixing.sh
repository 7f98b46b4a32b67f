# A results file knows what it is of: --resume with anything else stops and shows the difference.
. "$(dirname "$0")/common.sh"

# `auto` goes on with the file's back end, whatever there is here.
export WARPSWEEP_FAKE=sleep=20ms
start 2 -o mixed.h5 --backend fake --seed 7
run=$!
until_rows mixed.h5 20
kill -INT $(ranks_of $run | sed -n 1p)
wait $run
expect "exit code of a stopped run" $? 1
unset WARPSWEEP_FAKE
cp mixed.h5 stopped.h5

launch 3 2 -o mixed.h5 --backend host --resume
logged "back end  *fake  *host  *--backend fake"
logged "mixed.h5 is not compatible with this run: back end"
cmp mixed.h5 stopped.h5 || fail "a refused run touched the file"
[ ! -e mixed.h5.journal ] || fail "a refused run left a journal"
launch 3 2 -o mixed.h5 --backend fake --seed 8 --resume
logged "seed  *7  *8  *--seed 7"
launch 3 2 -o mixed.h5 --backend fake --resume --share 1/2
logged "share of the points  *1/1  *1/2  *restore --share"
sed 's/max_time: 1s/max_time: 1500ms/' job.yaml >slower.yaml
cp job.yaml kept.yaml
cp slower.yaml job.yaml
launch 3 2 -o mixed.h5 --backend fake --resume
logged "timing  *cache cold, 10 to 1000 samples, ci 0.005, 1 s, sustained clock  *cache cold, 10 to 1000 samples, ci 0.005, 1.5 s, sustained clock"
cp kept.yaml job.yaml
WARPSWEEP_FAKE=product=2 launch 3 2 -o mixed.h5 --resume
logged "device  *fake (no measurement)  *fake 2 (no measurement)  *--append-device"
cmp mixed.h5 stopped.h5 || fail "a refused run touched the file"

launch 0 2 -o mixed.h5 --resume
complete mixed.h5
expect "back ends" "$(rows mixed.h5 backend --where status=ok | sort -u)" fake

# Another product may add rows when asked to; a device is asked again about what another one could not do.
cp stopped.h5 two.h5
WARPSWEEP_FAKE=product=2 launch 0 2 -o two.h5 --resume --append-device
complete two.h5
expect "products" "$("$WARPSWEEP" status two.h5 | grep -c 'fake.*back end')" 4

# What one product does not support is asked again on another, and not on the same.
printf '%s\n' 'counters: none' 'timing: {replicates: 1}' 'sweeps:' '  - kernel: copy' '    axes: {size: 1MiB, stride: [1, 2, 4]}' >job.yaml
WARPSWEEP_FAKE='product=1;lack:stride=2' launch 0 2 -o lack.h5 --backend fake
expect "unsupported" "$(rows lack.h5 stride,message --where status=unsupported)" '2	unsupported on request'
WARPSWEEP_FAKE=product=1 launch 0 2 -o lack.h5 --resume
logged '^warpsweep: 0 points to measure'
WARPSWEEP_FAKE=product=2 launch 0 2 -o lack.h5 --resume --append-device
logged '^warpsweep: 1 point to measure (2 done before'
expect "product of the point" "$(rows lack.h5 status,device.name --where stride=2 --where repeat=0)" 'ok	fake 2 (no measurement)'

# Counters: none were asked for before.
sed 's/counters: none/counters: memory/' kept.yaml >job.yaml
launch 0 2 -o counted.h5 --backend fake --counters none
launch 3 2 -o counted.h5 --resume
logged "counters  *none  *load_requests .*--remeasure counters"
launch 0 2 -o counted.h5 --resume --remeasure counters
logged "$POSSIBLE points to measure"
complete counted.h5
expect "points with counters" "$(rows counted.h5 load_requests --where status=ok --where repeat=0 | grep -c "[0-9]")" $POSSIBLE
launch 0 2 -o counted.h5 --resume --remeasure counters
logged "^warpsweep: 0 points to measure"
cp job.yaml memory.yaml
sed 's/counters: none/counters: stalls/' kept.yaml >job.yaml
launch 0 2 -o counted.h5 --resume --remeasure counters
logged "$POSSIBLE points to measure"
expect "points with other counters" "$(rows counted.h5 stall_barrier --where status=ok --where repeat=0 | grep -c "[0-9]")" $POSSIBLE
cp memory.yaml job.yaml
launch 2 2 -o counted.h5 --resume --remeasure counters --counters none
logged "this run has no counters"

# In a batch job nothing falls back to the host in silence.
if ! nvidia-smi -L >/dev/null 2>&1; then
    SLURM_JOB_ID=1 launch 3 1 -o batch.h5
    logged "rank 0 on .* has no cuda device: "
    [ ! -e batch.h5 ] || fail "a refused run made a file"
fi

# A file of an earlier release is checked as far as its environment goes.
cp "$here/../release-0.1-h200-copy.h5" old.h5
launch 3 1 -o old.h5 --backend host --resume
logged "back end  *cuda  *host"
cmp old.h5 "$here/../release-0.1-h200-copy.h5" || fail "a refused run touched the file"
