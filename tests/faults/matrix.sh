# matrix.sh WARPSWEEP [NAME...]: the rows of matrix.txt, or those named.
table=$(cd "$(dirname "$0")" && pwd)/matrix.txt
. "$(dirname "$0")/invariants.sh"
. "$(dirname "$0")/../find_python.sh"
shift
wanted=" $* "

# The exit codes that a file gets: of status, of merge, and of judge against a good file of the same job.
verdicts() { # verdicts FILE
    for command in status merge judge; do
        set -- "$1" 0
        case $command in
        status) "$WARPSWEEP" status "$1" >/dev/null 2>&1 || set -- "$1" $? ;;
        merge) rm -f merged.h5 && { "$WARPSWEEP" merge "$1" -o merged.h5 >/dev/null 2>&1 || set -- "$1" $?; } ;;
        judge) reader judge "$1" reference.h5 >judged 2>&1 || set -- "$1" $? ;;
        esac
        [ "$command" != judge ] || [ "$python" ] || set -- "$1" - # nobody here can judge
        printf ' %s' "$2"
    done
}

# agree WHAT FILE CODE STATUS MERGE JUDGE: the run's code, and those expected of the others
agree() {
    expected=
    for one in "$4" "$5" "$6"; do expected="$expected $(echo "$one" | sed "s/=/$3/")"; done
    [ "$python" ] || expected="${expected% *} -"
    seen_codes=$(verdicts "$2")
    echo "$1: run, status, merge, judge: $3$seen_codes"
    expect "$1: exit codes of status, merge and judge" "$seen_codes" "$expected"
}

check_row() {
    [ "$wanted" = "  " ] || case $wanted in *" $name "*) ;; *) return 0 ;; esac
    file=$name.h5
    WARPSWEEP_FAKE='' "$WARPSWEEP" run "$job.yaml" -o reference.h5 --backend fake >log 2>&1 || fail "$name: the reference: exit code $?"
    case $act in
    survive*) begin "$ranks" "$job" "$file" "$faults" --mca orte_abort_on_non_zero_status 0 -- --backend fake ;;
    limit*) begin "$ranks" "$job" "$file" "$faults" -- --backend fake --time-limit 4s ;;
    *) begin "$ranks" "$job" "$file" "$faults" -- --backend fake ;;
    esac
    [ "$act" = - ] || strike "$act" "$file" || fail "$name: no process to send a signal to"
    wait $run
    code=$?
    # shellcheck disable=SC2086 # four words
    set -- $codes
    [ $code -ne 124 ] || fail "$name: it did not end"
    case "/$1/" in '/*/' | */$code/*) ;; *) expect "$name: exit code" $code "$1" ;; esac
    [ -z "$says" ] || logged "$says"
    hold "$name" "$file" $code
    agree "$name" "$file" $code "$2" "$3" "$4"
    exit=$1
    # shellcheck disable=SC2086 # five numbers
    set -- $counts
    for status in ok failed crashed timed_out; do
        [ "$1" = '*' ] || expect "$name: $status" "$(points "$file" --where status=$status)" "$1"
        shift
    done
    [ "$exit" != 0 ] || expect "$name: rows whose counters were not waited for" \
        "$(reader table "$file" --canaries --columns counters_status 2>/dev/null | grep -c '^pending')" 0
    [ "$1" = '*' ] || expect "$name: without counters" "$(points "$file" --where counters_status=failed)" "$1"
    mend "$name" "$file" "$job" --backend fake
    agree "$name, resumed" "$file" 0 0 0 0
    echo "$name: as expected"
    seen=$((seen + 1))
}

set -f # `*` is a word of the table
seen=0
python=$(find_python 'h5py, pandas, scipy' 2>/dev/null) || python=
grep -v '^#' "$table" | sed 's/ *| */|/g' >rows
while IFS='|' read -r name ranks job faults act codes counts says <&3; do
    check_row
done 3<rows
[ $seen -gt 0 ] || fail "no row was run"
