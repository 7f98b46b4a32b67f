# --verbose logs what each rank does, in lines with rank and time; without it there are none.
. "$(dirname "$0")/common.sh"
export WARPSWEEP_FAKE="crash:stride=137,vector=1,size=1MiB,dtype=u8"
launch 1 2 -o quiet.h5 --backend fake
! grep -q '^warpsweep: rank [0-9]*: [0-9.]* s: ' log || fail "it talks without being asked"
launch 1 2 -o out.h5 --backend fake --verbose
lines='^warpsweep: rank %d: [0-9][0-9]*\.[0-9]\{3\} s: %s'
for rank in 0 1; do
    for what in "starts a worker, back end fake" "the worker has opened fake" "configured: CPUs" "peaks measured" \
        "measures [0-9]* point" "measured [0-9]* of [0-9]* points in" "the worker is dismissed" "leaves"; do
        # shellcheck disable=SC2059
        logged "$(printf "$lines" $rank "$what")"
    done
done
for what in opening characterising measuring over; do
    logged "rank 0: [0-9.]* s: coordinator: phase $what"
done
logged "rank 0: [0-9.]* s: coordinator: final file written"
logged "rank [01]: [0-9.]* s: the worker has to be replaced: the worker was killed by signal 11"
complete out.h5
