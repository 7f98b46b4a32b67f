# Asked to stop, by a signal or the time limit, a run ends in order, can be resumed, and says so.
. "$(dirname "$0")/common.sh"

stopped() { # the file is whole, and part of the points is there
    [ ! -e "$1.journal" ] || fail "a journal was left"
    kept=$(points "$1")
    [ "$kept" -gt $UNSUPPORTED ] && [ "$kept" -lt $POINTS ] || fail "$kept points are there"
    logged "stopped after $kept of $POINTS points; resume with: .* run job.yaml -o $1 .*--resume"
    expect "points that are not ok" "$(points "$1" --where status=failed,crashed,timed_out)" 0
}

export WARPSWEEP_FAKE=sleep=30ms
start 4 -o user.h5 --backend fake
run=$!
until_rows user.h5 20
kill -USR1 "$(pgrep -P $run)"
wait $run
expect "exit code after SIGUSR1" $? 1
stopped user.h5

# One rank alone was signalled.
start 4 -o one.h5 --backend fake
run=$!
until_rows one.h5 20
kill -USR1 "$(ranks_of $run | tail -n 1)"
wait $run
expect "exit code after SIGUSR1 to one rank" $? 1
stopped one.h5

for signal in TERM HUP XCPU; do # end of the job, of the terminal, of the processor time
    start 4 -o $signal.h5 --backend fake
    run=$!
    until_rows $signal.h5 20
    for rank in $(ranks_of $run); do kill -$signal "$rank"; done
    wait $run
    expect "exit code after SIG$signal" $? 1
    stopped $signal.h5
done

launch 1 2 -o limit.h5 --backend fake --time-limit 700ms
logged "time limit reached"
stopped limit.h5

export WARPSWEEP_FAKE=
for file in user one TERM HUP XCPU limit; do
    launch 0 3 -o $file.h5 --backend fake --resume
    complete $file.h5
done

# In set-up: the host back end measures the peaks of the processor first.
"$WARPSWEEP" run job.yaml -o setup.h5 --backend host >log 2>&1 &
run=$!
until [ -e setup.h5 ]; do sleep 0.01; done
kill -USR1 $run
wait $run
expect "exit code after SIGUSR1 in set-up" $? 1
logged "stopped: before the first measurement"

# A point that hangs does not hold a stop up for longer than the grace, and is not recorded. A second Ctrl-C does
# not even wait for that. (Without mpirun, which has its own idea of Ctrl-C.)
export WARPSWEEP_FAKE=hang:stride=137,vector=1,size=1MiB
sed -i 's/timeout: 2s/timeout: 100s/' job.yaml
for interrupts in 1 2; do
    WARPSWEEP_CACHE=$folder/cache$interrupts # a point known to take long would be first, and this one hangs
    ASAN_OPTIONS=detect_leaks=0 "$WARPSWEEP" run job.yaml -o hang$interrupts.h5 --backend fake --seed 3 >log 2>&1 &
    run=$!
    until_rows hang$interrupts.h5 20
    sleep 0.5
    before=$(date +%s%N)
    for i in $(seq $interrupts); do
        kill -INT $run
        sleep 0.2
    done
    wait $run
    expect "exit code after $interrupts SIGINT" $? 1
    took=$((($(date +%s%N) - before) / 1000000))
    stopped hang$interrupts.h5
    expect "hanging points recorded" "$(points hang$interrupts.h5 --where stride=137 --where vector=1 --where size=1MiB)" 0
    [ $interrupts -eq 2 ] || { grace=$took && [ $took -gt 2000 ]; } || fail "one SIGINT gave no grace: $took ms"
    [ $interrupts -eq 1 ] || [ $took -lt $grace ] || fail "two SIGINT took $took ms, and one $grace"
done
