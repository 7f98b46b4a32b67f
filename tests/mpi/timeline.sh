# Who owns each second of a run, and what is left of that after a crash.
. "$(dirname "$0")/common.sh"

job '{cache: hot, max_time: 20ms, min_samples: 3, max_samples: 20, timeout: 60s, replicates: 1}' <<'JOB'
  - kernel: copy
    axes: {size: [64KiB, 1MiB], dtype: [f32, f64], stride: [1, 2, 4, 8], vector: [1, 2]}
JOB
POINTS=32

# covered FILE RANKS: each rank has one lane, of whose time the phases have 98 % or more; verify has nothing to say.
covered() {
    "$WARPSWEEP" status --verify "$1" >said || fail "verify $1: $(cat said)"
    reader report "$1" --time >time.md || fail "report --time $1"
    expect "lanes" "$(sed -n 's/^\([0-9]*\) lanes\{0,1\} of ranks.*/\1/p' time.md)" "$2"
    sed -n 's/.*Phases cover \([0-9.]*\) %.*/\1/p' time.md |
        awk '!($1 >= 98 && $1 <= 100.01) { bad = 1 } END { exit bad || !NR }' || fail "cover: $(cat time.md)"
    awk -F'|' '/^### By rank/ { on = 1 } /^### By family/ { on = 0 }
        on && $2 ~ /^ *[0-9]+ *$/ { sum = 0; for (i = 6; i <= 13; i++) sum += $i
            if (sum < 0.98 * $5 - 0.01 || sum > $5 + 0.01) bad = 1 } END { exit bad }' time.md ||
        fail "a rank's groups do not add up: $(cat time.md)"
}

# phase NAME: its seconds, of all ranks.
phase() { sed -n "s/^| $1 | \([0-9.]*\) |.*/\1/p" time.md | sed -n 1p; }

for ranks in 2 4; do
    began=$(date +%s)
    WARPSWEEP_FAKE='sleep=40ms' launch 0 $ranks -o fake$ranks.h5 --backend fake
    covered fake$ranks.h5 $ranks
    # 32 points that sleep 40 ms each, while they are sampled; and no lane is longer than the run was.
    phase sampling | awk '!($1 >= 1.28 && $1 < 12.8) { bad = 1 } END { exit bad || !NR }' ||
        fail "sampling takes $(phase sampling) s, not 1.28, or up to ten times that on a busy machine"
    took=$(($(date +%s) - began + 1))
    awk -F'|' -v took=$took '$2 ~ /^ *1 *$/ && $5 > took { bad = 1 } END { exit bad }' time.md ||
        fail "a lane is longer than $took s: $(cat time.md)"
    launch 0 $ranks -o host$ranks.h5 --backend host
    covered host$ranks.h5 $ranks
    complete host$ranks.h5
    expect "points of the host" "$(rows host$ranks.h5 backend,status | sort | uniq -c | tr -s ' \t' ' ')" " 32 host ok"
    rows host$ranks.h5 time_median,verified | awk '!($1 > 0 && $2 > 0) { bad = 1 } END { exit bad }' || fail "a point was not timed or not verified"
    for name in 'MPI start' 'worker start' peaks fill reference warm-up sampling end; do
        phase "$name" | grep >/dev/null . || fail "host: no time for $name: $(cat time.md)"
    done
done

# Unsent spans of a dying worker are lost; the rank knows the point, and the other times add up.
WARPSWEEP_FAKE='sleep=20ms;crash:stride=8,vector=2' launch 1 2 -o crash.h5 --backend fake
covered crash.h5 2
phase lost | grep >/dev/null . || fail "the time of workers that died is missing: $(cat time.md)"

# Killed and resumed: the file has the spans before the last checkpoint, and the lanes of the second run.
WARPSWEEP_FAKE='sleep=1200ms' start 2 -o killed.h5 --backend fake
run=$!
until_rows killed.h5 4
for _ in $(seq 600); do
    "$WARPSWEEP" status --verify killed.h5 2>/dev/null | grep -q '/timeline *[1-9]' && break
    sleep 0.05
done
kill -9 $(ranks_of $run) 2>/dev/null
wait $run 2>/dev/null
[ -e killed.h5.journal ] || fail "it was not killed in time"
reader report killed.h5 --time >time.md || fail "the timeline of a run that was killed"
before=$(phase sampling)
awk -v s="$before" 'BEGIN { exit !(s >= 0.3) }' || fail "a killed run has sampled for $before s, by its last checkpoint"
launch 0 2 -o killed.h5 --backend fake --resume
covered killed.h5 4
expect "runs" "$(awk -F'|' '$2 ~ /^ *[0-9]+ *$/ && NF > 12 { print $2 + 0 }' time.md | sort -u | tr '\n' ' ')" "1 2 "
phase sampling | awk -v before="$before" '!($1 >= before) { exit 1 }' || fail "resuming has lost spans"
cp killed.h5 same.h5
launch 0 2 -o killed.h5 --backend fake --resume # nothing to do: the file stays as it is
cmp -s killed.h5 same.h5 || fail "a run that did nothing has written the file"
