# A rank is stopped in MPI_Finalize, or behind it: the run ends anyway.
. "$(dirname "$0")/common.sh"

sed -i 's/stride: .*/stride: [1, 2]/' job.yaml
before=$(date +%s)
timeout -k 5 120 mpirun -q --oversubscribe -n 3 -x LD_PRELOAD="$(dirname "$WARPSWEEP")/../tests/mpi/libstops_at_end.so" \
    "$WARPSWEEP" run job.yaml -o late.h5 --backend fake >log 2>&1
code=$?
took=$(($(date +%s) - before))
expect "exit code" $code 1
[ $took -lt 60 ] || fail "it took $took s"
logged "some rank does not answer"
"$WARPSWEEP" verify late.h5 >said || fail "verify: $(cat said)"
expect "points that are ok" "$(points late.h5 --where status=ok)" 60
[ ! -e late.h5.journal ] || fail "a journal was left"

# Behind MPI_Finalize nobody waits for the rank but mpirun: its watcher kills it.
before=$(date +%s)
timeout -k 5 120 mpirun -q --oversubscribe -n 3 -x STOPS_BEHIND=1 \
    -x LD_PRELOAD="$(dirname "$WARPSWEEP")/../tests/mpi/libstops_at_end.so" \
    "$WARPSWEEP" run job.yaml -o behind.h5 --backend fake >log 2>&1
took=$(($(date +%s) - before))
[ $took -lt 40 ] || fail "it took $took s"
"$WARPSWEEP" verify behind.h5 >said || fail "verify: $(cat said)"
expect "points that are ok" "$(points behind.h5 --where status=ok)" 60


# The others wait for rank 0, which may be writing the last file, only as long as it sends heartbeats: --silence and 10 s more.
before=$(date +%s)
timeout -k 5 120 mpirun -q --oversubscribe -n 3 -x STOPS_CLOSING=1 \
    -x LD_PRELOAD="$(dirname "$WARPSWEEP")/../tests/mpi/libstops_at_end.so" \
    "$WARPSWEEP" run job.yaml -o closing.h5 --backend fake --silence 2s >log 2>&1
code=$?
took=$(($(date +%s) - before))
[ $code -ne 0 ] || fail "a run whose rank 0 does not end is a success"
[ $took -ge 10 ] || fail "the others waited $took s for rank 0"
[ $took -lt 40 ] || fail "it took $took s"
logged "no answer from rank 0"
"$WARPSWEEP" verify closing.h5 >said || fail "verify: $(cat said)"
expect "points that are ok" "$(points closing.h5 --where status=ok)" 60
