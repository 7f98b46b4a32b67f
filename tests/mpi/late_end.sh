# A rank is stopped in MPI_Finalize, or behind it, or rank 0 before it: the run ends anyway.
. "$(dirname "$0")/common.sh"

sed -i 's/stride: .*/stride: [1, 2]/' job.yaml
# Killing the others at once makes mpirun itself crash or hang now and then, when its ranks are gone (Open MPI 4.1.4, in
# PMIx_server_finalize: 11 of 232 runs hung, 9 crashed; none of 160 that waited, as it does by default).
unset OMPI_MCA_odls_base_sigkill_timeout
# late NAME [OPTION...]: sets NAME.code and NAME.took.
late() {
    name=$1
    shift
    before=$(date +%s)
    timeout -k 5 120 mpirun -q --oversubscribe -n 3 -x LD_PRELOAD="$(dirname "$WARPSWEEP")/../tests/mpi/libstops_at_end.so" \
        "$WARPSWEEP" run job.yaml -o "$name.h5" "$@" --backend fake >"$name.log" 2>&1
    echo $? >"$name.code"
    echo $(($(date +%s) - before)) >"$name.took"
}
# All wait for the same ten seconds. Ranks have mpirun's environment.
late late &
STOPS_BEHIND=1 late behind &
STOPS_CLOSING=1 late closing --silence 2s &
wait

ended() { # ended NAME SECONDS: within that time, its file whole; `log` is its own from here on
    cp "$1.log" log
    [ "$(cat "$1.took")" -lt "$2" ] || fail "$1: it took $(cat "$1.took") s"
    "$WARPSWEEP" status --verify "$1.h5" >said || fail "verify: $(cat said)"
    expect "points that are ok" "$(points "$1.h5" --where status=ok)" 60
}
ended late 100
expect "exit code" "$(cat late.code)" 1
logged "some rank does not answer"
[ ! -e late.h5.journal ] || fail "a journal was left"
# Behind MPI_Finalize nobody waits for the rank but mpirun: its watcher kills it.
ended behind 100
# The others wait for rank 0, which may be writing the last file, for four times --silence and 10 s more.
ended closing 100
[ "$(cat closing.code)" -ne 0 ] || fail "a run whose rank 0 does not end is a success"
[ "$(cat closing.took)" -ge 10 ] || fail "the others waited $(cat closing.took) s for rank 0"
logged "no answer from rank 0"
