# Workers are started before MPI: their devices are opened meanwhile. No worker is left behind whatever happens then, a job that
# cannot be read has none, and what MPI says of a rank's place counts.
. "$(dirname "$0")/common.sh"
export WARPSWEEP_FAKE=sleep=1ms

# The worker's start is the first that a rank does, and nothing is waited for that went on meanwhile.
launch 0 2 -o out.h5 --backend fake --verbose
complete out.h5
for rank in 0 1; do
    logged "^warpsweep: rank $rank: .* has started a worker, back end fake, 0\.[0-9]* s before"
    ! grep -q "^warpsweep: rank $rank: .*: starts a worker" log || fail "rank $rank has started a second worker"
done
"$WARPSWEEP" status --verify out.h5 >said || fail "verify: $(cat said)"

# alone ARGUMENT...: one process without a launcher.
alone() {
    timeout -k 5 60 "$WARPSWEEP" run "$@" >log 2>&1
    code=$?
}
alone job.yaml -o alone.h5 --backend fake --verbose
expect "exit code of a run of one process" $code 0
logged "rank 0: .* has started a worker, back end fake"
complete alone.h5

# It needs no session directory of Open MPI, which single processes would share and take from each other.
mkdir sessions
: >"sessions/ompi.$(uname -n).$(id -u)"
: >"sessions/ompi.$(uname -n | cut -d. -f1).$(id -u)"
TMPDIR=$PWD/sessions alone job.yaml -o sessions.h5 --backend fake
expect "exit code of a run whose session directory cannot be made" $code 0

# A launcher that sets a wrong local rank, or none: each rank uses the device of its local rank in MPI.
devices() { rows "$1" device.uuid --where repeat=0 --where status=ok | sort -u | tr '\n' ' '; }
right=$(devices out.h5)
expect "devices of two ranks" "$(echo "$right" | wc -w)" 2
for told in 7 none; do
    export told
    # shellcheck disable=SC2016
    timeout -k 5 120 mpirun -q --oversubscribe -n 2 sh -c \
        'if [ "$told" = none ]; then unset OMPI_COMM_WORLD_LOCAL_RANK; else OMPI_COMM_WORLD_LOCAL_RANK=$told; fi
         exec "$0" run job.yaml -o "$told.h5" --backend fake --verbose' "$WARPSWEEP" >log 2>&1 ||
        fail "a run with local rank $told in the environment"
    complete $told.h5
    expect "devices with local rank $told in the environment" "$(devices $told.h5)" "$right"
    expect "workers that runners have started" "$(grep -c ': starts a worker' log)" 2
done

# Within a node Open MPI looks for no networks, unless the user has said how ranks are to talk.
unset OMPI_MCA_pml OMPI_MCA_btl
if ompi_info --parsable >/dev/null 2>&1; then
    timeout -k 5 60 mpirun -q --oversubscribe -n 2 --mca pml_base_verbose 10 "$WARPSWEEP" run job.yaml -o node.h5 \
        --backend fake >log 2>&1 || fail "a run of two ranks on a node"
    complete node.h5
    expect "ranks that use nothing but ob1" "$(grep -c 'select: initializing pml component' log)" 2
    expect "of them ob1" "$(grep -c 'select: initializing pml component ob1' log)" 2
    timeout -k 5 60 mpirun -q --oversubscribe -n 2 --mca pml ^nothing --mca pml_base_verbose 10 "$WARPSWEEP" run \
        job.yaml -o user.h5 --backend fake >log 2>&1 || fail "a run whose user has chosen"
    [ "$(grep -c 'select: initializing pml component' log)" -gt 2 ] || fail "what the user has chosen did not stay"
fi
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader

# A job that cannot be read: no worker is started for it.
echo 'sweeps: [{kernel: copy, axes: {sizes: 1MiB}}]' >bad.yaml
alone bad.yaml -o bad.h5 --backend fake --verbose
expect "exit code of a bad job" $code 2
logged 'bad.yaml:1:32: unknown axis'
! grep -q 'worker, back end' log || fail "a worker was started for a job that cannot be read"
[ ! -e bad.h5 ] || fail "a file of a job that cannot be read"

# Errors of ranks that MPI cannot connect, and of missing or wrong workers, are tested elsewhere: tests/mpi/world.sh,
# build_mismatch.sh. Killed at any moment of the start, a rank takes its worker along.
workers() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd" 2>/dev/null)" = "$folder" ] && [ "$(cat "$process/comm" 2>/dev/null)" = warpsweep-worke ] &&
            echo "${process#/proc/}"
    done
}
export WARPSWEEP_FAKE=sleep=50ms
for milliseconds in 010 020 030 040 060 080 100 150 200 300; do
    "$WARPSWEEP" run job.yaml -o killed.h5 --backend fake >log 2>&1 &
    run=$!
    sleep 0.$milliseconds
    kill -9 $run
    wait $run 2>/dev/null
    rm -f killed.h5*
done
tries=0
while [ -n "$(workers)" ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "workers outlive their rank: $(workers)"
    sleep 0.1
done

# Without room in /dev/shm (here: in a folder that does not exist) ranks of one node reach each other by TCP.
unset OMPI_MCA_pml OMPI_MCA_btl
export OMPI_MCA_btl_vader_backing_directory=$PWD/missing OMPI_MCA_btl_sm_backing_directory=$PWD/missing WARPSWEEP_FAKE=
launch 0 3 -o tcp.h5 --backend fake
complete tcp.h5
