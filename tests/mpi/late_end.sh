# A rank is stopped in MPI_Finalize, or behind it: the run ends anyway.
. "$(dirname "$0")/common.sh"

sed -i 's/stride: .*/stride: [1, 2]/' job.yaml
# late FILE [OPTION...]: sets code and took. mpirun itself may crash when its ranks are gone (Open MPI 4.1.4: PMIx_server_finalize at a
# null pointer), which says nothing of ours: then once more.
late() {
    for attempt in 1 2 3; do
        file=$1
        rm -f "$file" "$file.journal"
        before=$(date +%s)
        timeout -k 5 120 mpirun -q --oversubscribe -n 3 -x LD_PRELOAD="$(dirname "$WARPSWEEP")/../tests/mpi/libstops_at_end.so" \
            "$WARPSWEEP" run job.yaml -o "$@" --backend fake >log 2>&1
        code=$?
        took=$(($(date +%s) - before))
        grep -q 'PMIx_server_finalize' log || return 0
        echo "mpirun crashed, attempt $attempt"
    done
}

late late.h5
expect "exit code" $code 1
[ $took -lt 60 ] || fail "it took $took s"
logged "some rank does not answer"
"$WARPSWEEP" status --verify late.h5 >said || fail "verify: $(cat said)"
expect "points that are ok" "$(points late.h5 --where status=ok)" 60
[ ! -e late.h5.journal ] || fail "a journal was left"

# Behind MPI_Finalize nobody waits for the rank but mpirun: its watcher kills it.
export STOPS_BEHIND=1 # ranks have mpirun's environment
late behind.h5
unset STOPS_BEHIND
[ $took -lt 40 ] || fail "it took $took s"
"$WARPSWEEP" status --verify behind.h5 >said || fail "verify: $(cat said)"
expect "points that are ok" "$(points behind.h5 --where status=ok)" 60


# The others wait for rank 0, which may be writing the last file, only as long as it sends heartbeats: --silence and 10 s more.
export STOPS_CLOSING=1
late closing.h5 --silence 2s
[ $code -ne 0 ] || fail "a run whose rank 0 does not end is a success"
[ $took -ge 10 ] || fail "the others waited $took s for rank 0"
[ $took -lt 40 ] || fail "it took $took s"
logged "no answer from rank 0"
"$WARPSWEEP" status --verify closing.h5 >said || fail "verify: $(cat said)"
expect "points that are ok" "$(points closing.h5 --where status=ok)" 60
