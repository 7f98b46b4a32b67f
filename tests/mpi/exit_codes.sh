# What cannot work ends soon, everywhere, with the exit code and the reason that the manual promises.
jobs=$(cd "$(dirname "$0")/../../jobs" && pwd)
. "$(dirname "$0")/common.sh"

# 2: a bad job, read on rank 0 alone
cp job.yaml good.yaml
echo "surprise: 1" >>job.yaml
launch 2 3 -o bad.h5 --backend fake
logged "job.yaml:[0-9]*:[0-9]*: .*surprise"
[ ! -e bad.h5 ] || fail "a bad job made a file"
cp good.yaml job.yaml

# 2: the name of the results file is taken, or of no folder
launch 0 2 -o there.h5 --backend fake
launch 2 2 -o there.h5 --backend fake
logged "resume"
launch 2 2 -o no/such/folder/x.h5 --backend fake
logged "no/such/folder"

# 3: the device of one rank
WARPSWEEP_FAKE=refuse:rank=1 launch 3 3 -o refused.h5 --backend fake
logged "rank 1 on .* has no fake device: no device, on request"
[ ! -e refused.h5 ] || fail "a refused run made a file"

# 3: a GPU asked for by name; auto measures on the host and says so
if ! nvidia-smi -L >/dev/null 2>&1; then
    launch 3 2 -o cuda.h5 --backend cuda
    logged "rank 0 on .* has no cuda device: "
    sed 's/4MiB/2MiB/; s/dtype: .*/dtype: [f32]/; s/stride: .*/stride: [1]/; s/max_time: 1s, timeout: 2s/max_time: 20ms, timeout: 60s/' \
        good.yaml >job.yaml
    launch 0 1 -o auto.h5
    logged "no GPU found (.*): using the host back end"
    expect "rows of the host back end" "$(rows auto.h5 backend --where status=ok | sort -u)" host
    # ... unless that takes hours: the options that it names make the job small enough.
    cp "$jobs/copy.yaml" job.yaml
    launch 3 1 -o large.h5
    logged "without a GPU this job takes about .*: the host back end runs the C references"
    [ ! -e large.h5 ] || fail "a refused run made a file"
    options=$(sed -n 's/.*this job with \(--set .*ms\)\. --backend.*/\1/p' log)
    # shellcheck disable=SC2086 # words
    launch 0 1 -o smaller.h5 $options --only stride=1 --only offset=0 --only cache=cold --only items=1 --only arch=native --only dtype=f32
    [ "$(rows smaller.h5 id --where status=ok | wc -l)" -gt 4 ] || fail "few points of the smaller job"
    launch 1 1 -o limited.h5 --time-limit 1s
    launch 1 1 -o requested.h5 --backend host --time-limit 1s
    logged "the C references take about .* on this host"
    cp good.yaml job.yaml
fi

# A rank whose worker cannot be started again leaves its points to the others; without any the run ends.
cp "$WARPSWEEP" "$(dirname "$WARPSWEEP")/warpsweep-worker" .
WARPSWEEP=$folder/warpsweep
export WARPSWEEP_FAKE=sleep=30ms
start 2 -o lost.h5 --backend fake
run=$!
until_rows lost.h5 20
mv warpsweep-worker away
kill -9 "$(pgrep -P "$(ranks_of $run | tail -n 1)")"
wait $run
expect "exit code after a rank was lost" $? 1
logged "rank 1 on .* lost its worker (cannot execute .*warpsweep-worker: No such file"
logged "^warpsweep: lost: rank 1, fake .*cannot execute"
complete lost.h5
expect "ok" "$(points lost.h5 --where status=ok)" $POSSIBLE
expect "points tried again" "$(points lost.h5 --where attempts=2)" 1
"$WARPSWEEP" status lost.h5 >log
expect "exit code of status" $? 1
logged "^  lost: rank 1, fake"

mv away warpsweep-worker
launch 0 2 -o lost.h5 --backend fake --resume
"$WARPSWEEP" status lost.h5 >log || fail "a resume does not confirm the file"
start 1 -o all.h5 --backend fake
run=$!
until_rows all.h5 20
mv warpsweep-worker away
kill -9 "$(pgrep -P "$(ranks_of $run)")"
wait $run
expect "exit code without any worker" $? 3
logged "no rank has a worker left"
kept=$(points all.h5 --where status=ok)
[ "$kept" -ge 20 ] || fail "only $kept results were kept"
launch 3 1 -o none.h5 --backend fake
logged "has no worker: cannot execute"
