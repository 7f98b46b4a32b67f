# kill -9 of rank 0 in the middle of a run: what was measured is kept, and resuming on another number of ranks does
# only what is missing. The point that a killed worker was at is tried again.
. "$(dirname "$0")/common.sh"
export WARPSWEEP_FAKE=sleep=50ms

start 4 -o killed.h5 --backend fake
run=$!
until_rows killed.h5 40
kill -9 "$(ranks_of $run | sed -n 1p)"
wait $run && fail "a run whose rank 0 was killed ended with 0"
sleep 0.2
pgrep -f "warpsweep-worker --backend fake.*$folder" >/dev/null && fail "workers live on"
rows killed.h5 id,device,time_median --where status=ok --where repeat=0 | sort >before
kept=$(wc -l <before)
[ "$kept" -ge 30 ] || fail "only $kept rows were kept"
[ "$kept" -lt $POSSIBLE ] || fail "the run was over too soon to test anything"

# Another name of the file keeps what it has.
ln killed.h5 snapshot.h5
before_snapshot=$(points snapshot.h5)
"$WARPSWEEP" status snapshot.h5 >status && fail "a file without its journal is good"
grep -q "not_closed: .*copy FILE.h5.journal beside FILE.h5" status || fail "no word of a journal: $(cat status)"
"$WARPSWEEP" status killed.h5 | grep -q "copy FILE.h5.journal" && fail "a journal that is there is missed"

export WARPSWEEP_FAKE=sleep=1ms
launch 0 3 -o killed.h5 --backend fake --resume
expect "points under the other name" "$(points snapshot.h5)" "$before_snapshot"
[ "$before_snapshot" -lt $POINTS ] || fail "the file was complete before"
expect "names of the file" "$(stat -c %h killed.h5 snapshot.h5 | paste -sd ,)" 1,1
logged "^warpsweep: $((POSSIBLE - kept)) points to measure ($((kept + UNSUPPORTED)) done before"
complete killed.h5
rows killed.h5 id,device,time_median --where status=ok --where repeat=0 | sort >after
expect "rows that the resumed run touched" "$(comm -23 before after | wc -l)" 0

export WARPSWEEP_FAKE=sleep=30ms
start 2 -o worker.h5 --backend fake
run=$!
until_rows worker.h5 20
kill -9 "$(pgrep -P "$(ranks_of $run | tail -n 1)")"
wait $run
expect "exit code after a worker was killed" $? 0
complete worker.h5
expect "ok" "$(points worker.h5 --where status=ok)" $POSSIBLE
rows worker.h5 attempts,earlier_attempt --where attempts=2 >again
expect "points tried again" "$(wc -l <again)" 1
grep -q "^2	crashed on device 1 of .*killed by signal 9" again || fail "the first attempt is not recorded: $(cat again)"
