# Collectives of MPI, in a job that the worker of the point starts: real on the host back end, and verified. A process that ends or hangs takes
# its point alone, and no process is left when the worker has ended.
. "$(dirname "$0")/common.sh"
cat >job.yaml <<'JOB'
title: Collectives of MPI
counters: none
timing: {cache: hot, max_time: 20ms, timeout: 100s, replicates: 1}
sweeps:
  - kernel: collective
    axes:
      variant: [all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv]
      gpus: 2
      size: 4KiB
      library: mpi
      launch: back_to_back
      in_place: ["no", "yes"]
  - kernel: collective
    axes: {variant: send_recv, gpus: 3, size: 100000, dtype: bf16, library: mpi, launch: back_to_back, cache: rotate}
JOB
launch 0 2 -o mpi.h5 --backend host
expect "ok" "$(points mpi.h5 --where status=ok)" 9 # a broadcast is in place, and four operations cannot be
expect "in place" "$(rows mpi.h5 variant --where in_place=yes --where status=ok | sort | tr '\n' ' ')" "all_gather all_reduce broadcast "
expect "clock and launches" "$(rows mpi.h5 timer,launches --where status=ok | tr '\t' ' ' | sort -u)" "clock 20"
expect "compared elements" "$(rows mpi.h5 verified --where variant=all_reduce --where in_place=no)" 2048
expect "in sets" "$(rows mpi.h5 status --where gpus=3 --where 'buffer_sets>1')" ok
rows mpi.h5 message --where status=ok | grep >/dev/null -E '^[A-Z].* v?[0-9]+\.' || fail "no name of the MPI"
[ "$(rows mpi.h5 library_version --where status=ok | sort -u)" -ge 10000 ] || fail "no version of the MPI"

# mpi_processes: those of this test. The name is cut in /proc/PID/comm.
mpi_processes() {
    for process in $(pgrep -x warpsweep-mpi-p); do
        tr '\0' '\n' </proc/"$process"/environ | grep -qxF "WARPSWEEP_CACHE=$WARPSWEEP_CACHE" && echo "$process"
    done 2>/dev/null # one may end meanwhile
}
# until_processes COUNT
until_processes() {
    tries=0
    while [ "$(mpi_processes | wc -l)" -ne "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "processes of MPI: $(mpi_processes | wc -l), not $1"
        sleep 0.05
    done
}
until_processes 0

# One that is killed, or that hangs, takes the point, which is tried again; a worker's end takes all of them.
cat >job.yaml <<'JOB'
title: A collective of MPI
counters: none
timing: {cache: hot, max_time: 20ms, min_samples: 40, timeout: 100s, replicates: 1} # some seconds
sweeps:
  - kernel: collective
    axes: {variant: all_reduce, gpus: 2, size: 16MiB, library: mpi, launch: back_to_back}
JOB
for signal in KILL STOP; do
    start 1 -o $signal.h5 --backend host --set timing.timeout=40s
    run=$!
    until_processes 2
    sleep 0.5 # before and after MPI_Init, a kill means the same
    kill -$signal "$(mpi_processes | sed -n 1p)"
    wait $run || fail "the run with $signal ended with $?"
    expect "attempts after $signal" "$(rows $signal.h5 status,attempts | tr '\t' ' ')" "ok 2"
    until_processes 0
done
rows KILL.h5 earlier_attempt | grep >/dev/null 'failed.* MPI job' || fail "$(rows KILL.h5 earlier_attempt)"
rows STOP.h5 earlier_attempt | grep >/dev/null 'timed_out' || fail "$(rows STOP.h5 earlier_attempt)"

start 1 -o resumed.h5 --backend host
run=$!
until_processes 2
kill -9 "$(ranks_of $run | sed -n 1p)"
wait $run && fail "a run whose rank 0 was killed ended with 0"
until_processes 0
launch 0 1 -o resumed.h5 --backend host --resume
expect "status after a resumption" "$(rows resumed.h5 status)" ok

# Without mpirun
WARPSWEEP_MPIRUN=no-such-mpirun launch 0 1 -o none.h5 --backend host
expect "without mpirun" "$(rows none.h5 status,message | tr '\t' ' ' | cut -c 1-72)" "unsupported its MPI job cannot be started; mpirun exited with status 127"
