# A rank that is stopped before MPI_Init: the run ends at the limit, and leaves no process behind.
. "$(dirname "$0")/common.sh"
export WARPSWEEP_START_TIMEOUT=3

before=$(date +%s)
# shellcheck disable=SC2016
timeout -k 5 60 mpirun -q --oversubscribe -n 3 sh -c \
    'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then kill -STOP $$; fi
     exec "$0" run job.yaml -o "start.h5" --backend fake' "$WARPSWEEP" >log 2>&1
code=$?
took=$(($(date +%s) - before))
expect "exit code" $code 3
[ $took -lt 50 ] || fail "it took $took s"
logged "MPI has not started all ranks within 3 s"
[ ! -e start.h5 ] || fail "a results file of a run that did not start"
for tries in $(seq 100); do
    pgrep -f "warpsweep-worker.*$PWD" >/dev/null || break
    [ $tries -lt 100 ] || fail "a worker is left"
    sleep 0.1
done

# Rank 0 itself is stopped: another rank says so.
# shellcheck disable=SC2016
timeout -k 5 60 mpirun -q --oversubscribe -n 2 sh -c \
    'if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then kill -STOP $$; fi
     exec "$0" run job.yaml -o "start.h5" --backend fake' "$WARPSWEEP" >log 2>&1
expect "exit code without rank 0" $? 3
logged "MPI has not started all ranks within 3 s"

# A healthy run does not notice the limit, and --time-limit is one, too.
unset WARPSWEEP_START_TIMEOUT
launch 0 2 -o healthy.h5 --backend fake
complete healthy.h5
# shellcheck disable=SC2016
timeout -k 5 60 mpirun -q --oversubscribe -n 2 sh -c \
    'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then kill -STOP $$; fi
     exec "$0" run job.yaml -o "limit.h5" --backend fake --time-limit 2s' "$WARPSWEEP" >log 2>&1
expect "exit code with --time-limit" $? 3
logged "MPI has not started all ranks within 2 s"
