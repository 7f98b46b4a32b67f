# matrix.sh WARPSWEEP [NAME...]: the rows of matrix.txt, or those named.
table=$(cd "$(dirname "$0")" && pwd)/matrix.txt
. "$(dirname "$0")/invariants.sh"
shift
wanted=" $* "

check_row() {
    [ "$wanted" = "  " ] || case $wanted in *" $name "*) ;; *) return 0 ;; esac
    file=$name.h5
    before=$(date +%s)
    case $act in
    survive*) begin "$ranks" "$job" "$file" "$faults" --mca orte_abort_on_non_zero_status 0 -- --backend fake ;;
    limit*) begin "$ranks" "$job" "$file" "$faults" -- --backend fake --time-limit 4s ;;
    *) begin "$ranks" "$job" "$file" "$faults" -- --backend fake ;;
    esac
    [ "$act" = - ] || strike "$act" "$file" || fail "$name: no process to send a signal to"
    wait $run
    code=$?
    took=$(($(date +%s) - before))
    case "/$exit/" in '/*/' | */$code/*) ;; *) expect "$name: exit code" $code "$exit" ;; esac
    [ $took -le "$most" ] || fail "$name: took $took s, allowed are $most"
    [ -z "$says" ] || logged "$says"
    hold "$name" "$file" $code
    # shellcheck disable=SC2086 # five numbers
    set -- $counts
    for status in ok failed crashed timed_out; do
        [ "$1" = '*' ] || expect "$name: $status" "$(points "$file" --where status=$status)" "$1"
        shift
    done
    [ "$exit" != 0 ] || expect "$name: rows whose counters were not waited for" \
        "$("$WARPSWEEP" table "$file" --canaries --columns counters_status 2>/dev/null | grep -c '^pending')" 0
    [ "$1" = '*' ] || expect "$name: without counters" "$(rows "$file" counters_status --where repeat=0 | grep -c '^failed:')" "$1"
    mend "$name" "$file" "$job" --backend fake
    echo "$name: as expected, in $took s"
    seen=$((seen + 1))
}

set -f # `*` is a word of the table
seen=0
grep -v '^#' "$table" | sed 's/ *| */|/g' >rows
while IFS='|' read -r name ranks job faults act exit counts most says <&3; do
    check_row
done 3<rows
[ $seen -gt 0 ] || fail "no row was run"
