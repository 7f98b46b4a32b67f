# Sourced by matrix.sh and soak.sh: runs with faults, and what must hold after each, whatever happened.
. "$(dirname "$0")/../mpi/common.sh"
here=$(cd "$(dirname "$0")/../mpi" && pwd)
export LSAN_OPTIONS="exitcode=0:suppressions=$here/mpi.supp:print_suppressions=0"
cp job.yaml plain.yaml
sed 's/counters: none/counters: memory/' plain.yaml >counted.yaml

# begin RANKS JOB FILE FAULTS [MPIRUN'S OPTIONS] -- ARGUMENT...: a run in the background, as $run.
begin() {
    ranks=$1 job=$2 file=$3 faults=$4 options=
    shift 4
    while [ "$1" != -- ]; do options="$options $1" && shift; done
    shift
    # shellcheck disable=SC2086 # options are words
    WARPSWEEP_FAKE=$faults timeout -k 5 "${RUN_MOST:-120}" mpirun -q --oversubscribe $options -n "$ranks" "$WARPSWEEP" run "$job.yaml" \
        -o "$file" --silence 3s "$@" >log 2>&1 &
    run=$!
}

# The worker of the last rank, which takes its time to open its device, as soon as it is one.
opening_worker() {
    tries=0
    until worker=$(pgrep -P "$(ranks_of $run | tail -n 1)" -x warpsweep-worke | sed -n 1p) && [ -n "$worker" ]; do
        tries=$((tries + 1))
        [ $tries -lt 1000 ] || return 1
        sleep 0.02
    done
    echo "$worker"
}

# strike ACT FILE: once 30 points are done, send the signal to its target. False if there is none.
strike() {
    [ "${1%% *}" = opening ] || until_rows "$2" 30
    case $1 in
    opening*) victim=$(opening_worker) ;;
    worker*) victim=$(pgrep -P "$(ranks_of $run | tail -n 1)" | sed -n 1p) ;;
    first*) victim=$(ranks_of $run | sed -n 1p) ;;
    *) victim=$(ranks_of $run | tail -n 1) ;;
    esac
    [ -n "$victim" ] && kill -"${1#* }" "$victim" 2>/dev/null
}

# Processes of this test that live on: those whose working folder is its own.
orphans() {
    for pid in $(pgrep warpsweep); do
        [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" = "$folder" ] && echo "$pid"
    done
}

expect_no_orphans() {
    tries=0
    while [ -n "$(orphans)" ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || fail "$1: processes live on: $(ps -o pid,stat,args -p "$(orphans | paste -sd,)")"
        sleep 0.1
    done
}

# What must hold of the file after any end, given the exit code.
hold() { # hold WHAT FILE CODE
    expect_no_orphans "$1"
    "$WARPSWEEP" status "$2" >said 2>&1 || [ $? -eq 1 ] || [ ! -e "$2" ] || fail "$1: no reader takes the file: $(cat said)"
    all=$(points "$2")
    grep -q '^warpsweep: [0-9]* ok,' log || return 0 # it did not live to tell: the journal has it
    told=$(grep '^warpsweep: [0-9]* ok,' log | tail -n 1)
    for status in ok unsupported failed crashed timed_out; do
        word=$(echo $status | tr _ ' ')
        expect "$1: points reported as $word" "$(echo "$told" | sed "s/.*[ ]\([0-9]*\) $word.*/\1/")" "$(points "$2" --where status=$status)"
    done
    [ ! -e "$2.journal" ] || fail "$1: a journal was left"
    if [ "$3" -eq 0 ]; then
        expect "$1: good points after exit code 0" "$(points "$2" --where status=ok,unsupported)" $POINTS
    fi
    [ "$all" -eq $POINTS ] || logged "stopped after $all of $POINTS points"
}

# Without faults the rest is done, and all is right: every point once, with the time that is made up from its id.
mend() { # mend WHAT FILE JOB [ARGUMENT...]
    what=$1 file=$2 job=$3
    shift 3
    begin 2 "$job" "$file" "" -- --resume --retry-failed "$@"
    wait $run
    code=$?
    [ $code -eq 0 ] || fail "$what: exit code $code when it was resumed"
    complete "$file"
    expect "$what: ok in the end" "$(points "$file" --where status=ok)" $POSSIBLE
    [ "$job" != counted ] || expect "$what: counted in the end" "$(points "$file" --where counters_status=counted)" $POSSIBLE
    expect_no_orphans "$what, resumed"
    return 0
}
