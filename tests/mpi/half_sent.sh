# A rank that is killed in the middle of a long message takes no others with it: what they send arrives. usage: half_sent.sh PROGRAM
. "$(dirname "$0")/common.sh"
unset OMPI_MCA_odls_base_sigkill_timeout
export OMPI_MCA_btl_vader_single_copy_mechanism=none # as runs set it
timeout -k 5 60 mpirun -q --oversubscribe --mca orte_abort_on_non_zero_status 0 -n 3 "$1" >log 2>&1
logged '^received 100 of 100 messages'
