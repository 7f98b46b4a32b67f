# Ctrl-C under mpirun: mpirun sends its ranks SIGTERM and, a second later, SIGKILL. By then the file is closed, no journal
# is left, and the line that goes on with the run has been said, mpirun and all. INTERRUPTS (3) tries.
. "$(dirname "$0")/common.sh"
unset OMPI_MCA_odls_base_sigkill_timeout # as a user has it
interrupts=${INTERRUPTS:-3}
left=0 unsaid=0
for try in $(seq "$interrupts"); do
    rm -f int.h5*
    WARPSWEEP_FAKE=sleep=100ms start 2 -o int.h5 --backend fake
    run=$!
    until_rows int.h5 $((5 + try % 7))
    kill -INT "$(pgrep -P $run -x mpirun)"
    wait $run
    [ ! -e int.h5.journal ] || left=$((left + 1))
    grep -q 'resume with: mpirun -n 2 .* run job.yaml -o int.h5 --backend fake --resume' log || unsaid=$((unsaid + 1))
    kept=$(points int.h5)
    [ "$kept" -gt 0 ] && [ "$kept" -lt $POINTS ] || fail "$kept points are there"
done
echo "$interrupts interrupts: $left journals left, $unsaid times no line to resume with"
[ $left -eq 0 ] || fail "$left of $interrupts left a journal"
[ $unsaid -eq 0 ] || fail "$unsaid of $interrupts did not say how to resume"
