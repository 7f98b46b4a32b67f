# kill -9 of rank 0 at a random moment, while counting takes much longer than timing: what was timed more than half a second
# before is in the file. The fake back end writes down when it has timed a point (WARPSWEEP_FAKE_TRACE). On a busy machine
# processes wait for a processor: how long, a meter beside the run tells; three such waits (worker, rank, coordinator)
# are forgiven, and a trial in which they could hide a batch that is held back does not count.
. "$(dirname "$0")/common.sh"
sed -i 's/counters: none/counters: memory/' job.yaml
export WARPSWEEP_FAKE='sleep=20ms;tally=30ms' WARPSWEEP_FAKE_TRACE=$folder/trace
TRIALS=5 TRIES=15 PROMISED=0.5 BUSY=0.3

# The longest that a sleep of 20 ms took longer than that, in seconds; goes on until it is killed.
meter() {
    while :; do
        before=$(date +%s.%N) && sleep 0.02 && echo "$before $(date +%s.%N)" >>waits
    done
}
stall() { awk '{ d = $2 - $1 - 0.02; if (d > m) m = d } END { print m + 0 }' waits; }

# one_trial NUMBER: 0 when it counts.
one_trial() {
    file=half$1.h5
    : >trace && : >waits
    start 2 -o "$file" --backend fake
    run=$!
    tries=0
    until [ "$(wc -l <trace)" -ge 10 ]; do
        tries=$((tries + 1)) && [ $tries -lt 2400 ] || fail "the run does not get on"
        sleep 0.05
    done
    meter &
    meter=$!
    sleep "$(awk -v seed="$1$$" 'BEGIN { srand(seed); print 1 + rand() * 1.5 }')"
    now=$(date +%s.%N)
    kill -9 "$(ranks_of $run | sed -n 1p)" || fail "the run was over too soon to test anything"
    wait $run
    kill $meter && wait $meter 2>/dev/null
    waited=$(stall)
    rows "$file" id --where repeat=0 --where status=ok | sort >kept
    awk -v now="$now" -v promised=$PROMISED -v stall="$waited" '$1 < now - promised - 3 * stall { print $2 }' trace |
        sort >old
    awk -v now="$now" '$1 < now - 0.5 { print $2 }' trace | sort >old_strictly
    lost=$(comm -23 old kept | wc -l)
    echo "trial $1: $(wc -l <trace) timed, $(wc -l <kept) kept, of $(wc -l <old) that were old enough $lost lost;" \
        "$(comm -23 old_strictly kept | wc -l) were lost that were older than half a second; a wait of $waited s"
    [ "$lost" -eq 0 ] || fail "points are lost that had been timed more than half a second before the kill"
    [ "$(wc -l <kept)" -lt $POSSIBLE ] || return 1
    [ "$(wc -l <old)" -ge 10 ] && awk -v s="$waited" -v busy=$BUSY 'BEGIN { exit !(s < busy) }'
}

count=0 number=0
while [ $count -lt $TRIALS ] && [ $number -lt $TRIES ]; do
    number=$((number + 1))
    ! one_trial $number || count=$((count + 1))
done
[ $count -gt 0 ] || { echo "skipped: this machine was too busy in $number trials to tell half a second"; exit 77; }
echo "$count trials, nothing older than half a second was lost"
