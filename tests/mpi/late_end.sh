# A rank is stopped in MPI_Finalize, after the final barrier: the run ends anyway, with a message.
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
