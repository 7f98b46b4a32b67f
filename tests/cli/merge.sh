#!/usr/bin/env bash
# merge: shares of a job become what one run measures, and a file that every command takes; what was not measured
# alike is refused with the difference.
source "$(dirname "$0")/setup.sh"
cd "$D"
export WARPSWEEP_FAKE='sleep=0ms;noise=0.01'
job() { # job TO REPLICATES
    printf 'timing: {replicates: %s, max_time: 50ms}\nsweeps:\n  - kernel: copy\n    axes: {size: [64KiB], vector: [1, 4], stride: {from: 1, to: %s, step: 1}}\n' "$2" "$1"
}
measure() { "$WARPSWEEP" run "$@" >log 2>&1 || fail "run $*: exit $?: $(<log)"; }
says() { # says EXIT TEXT ARGUMENT...: merge exits so, and says the text
    local wanted=$1 text=$2 status=0
    shift 2
    "$WARPSWEEP" merge "$@" >out 2>&1 || status=$?
    [[ $status == "$wanted" ]] || fail "merge $*: exit $status, not $wanted: $(<out)"
    grep -qF -- "$text" out || fail "merge $* does not say '$text': $(<out)"
}
rows() { reader table "$1" --columns id,status --where repeat=0 | tail -n +2 | sort; }

# ---- Shares
job 11 2 >job.yaml
measure job.yaml -o whole.h5 --backend fake
for share in 1 2 3; do
    measure job.yaml -o "p$share.h5" --backend fake --share "$share/3"
    "$WARPSWEEP" status "p$share.h5" >out || fail "share $share is not done: $(<out)"
    grep -q "^share $share of 3 of the job's 22 points" out || fail "status does not name the share: $(<out)"
done
cat <(rows p1.h5) <(rows p2.h5) <(rows p3.h5) | sort | diff - <(rows whole.h5) || fail "shares are not the whole"
says 0 'm.h5: 22 of 22 points, from 3 files, 0 left' p1.h5 p2.h5 p3.h5 -o m.h5
diff <(rows m.h5) <(rows whole.h5) || fail "merged, it is not what one run measures"
says 1 'missing shares: 2 of 3' p1.h5 p3.h5 -o part.h5
says 0 'duplicate results were equal and stored once' part.h5 p1.h5 p2.h5 -o again.h5
diff <(rows again.h5) <(rows whole.h5) || fail "merged in two steps, it is not what one run measures"
says 0 'one.h5: 8 of 8 points, from 1 file, 0 left' p1.h5 -o one.h5
"$WARPSWEEP" status one.h5 | has '^share 1 of 3' || fail "a share that is merged alone is no share any more"

# ---- A normal file: with all its columns, samples and repetitions; drawn, compared, completed.
reader compare whole.h5 m.h5 --points -f tsv >out 2>/dev/null || fail "compare"
[[ $(awk -F'\t' '$NF == "not measured"' out | wc -l) == "$(rows whole.h5 | grep -c -v 'ok$')" ]] || fail "compare misses points: $(<out)"
reader report m.h5 >/dev/null || fail "report"
for file in p1 p2 p3; do
    reader table $file.h5 --columns id,repeat,time_min,time_p95,sample_count,load_sectors --where repeat=0 | tail -n +2
done | sort >expected
reader table m.h5 --columns id,repeat,time_min,time_p95,sample_count,load_sectors --where repeat=0 | tail -n +2 | sort | diff expected - ||
    fail "samples or counters differ from those of the parts"
count() { reader table "$1" --canaries --columns id --where canary=1 | tail -n +2 | wc -l; }
[[ $(count m.h5) == $(($(count p1.h5) + $(count p2.h5) + $(count p3.h5))) ]] || fail "repetitions were lost"
measure job.yaml -o part.h5 --backend fake --resume
grep -q '^warpsweep: 7 points to measure (15 done before' log || fail "a merged file is not completed: $(<log)"
diff <(rows part.h5) <(rows whole.h5) || fail "completed, it is not what one run measures"

# ---- Mixes
measure job.yaml -o seed.h5 --backend fake --share 2/3 --seed 3
says 2 "seed.h5 was not measured as p1.h5 was: seed '3', not '" p1.h5 seed.h5 -o x.h5
measure job.yaml -o counters.h5 --backend fake --share 2/3 --counters none
says 2 "counters 'none', not 'load_requests" p1.h5 counters.h5 -o x.h5
measure job.yaml -o host.h5 --backend host --share 2/3
says 2 "back end 'host', not 'fake'" p1.h5 host.h5 -o x.h5
job 12 2 >longer.yaml
measure longer.yaml -o longer.h5 --backend fake --share 2/3
says 2 "line 4 of its job is" p1.h5 longer.h5 -o x.h5
job 11 1 >single.yaml
measure single.yaml -o single.h5 --backend fake --share 2/3
says 2 "line 1 of its job is 'timing: {replicates: 1" p1.h5 single.h5 -o x.h5
says 2 "seed '3', not" p1.h5 p2.h5 seed.h5 p3.h5 -o x.h5
WARPSWEEP_FAKE="$WARPSWEEP_FAKE;product=2" measure longer.yaml -o product.h5 --backend fake --share 2/3
says 2 "of different products, and one file holds one: only p1.h5 was measured on 'fake (no measurement)'" p1.h5 product.h5 -o x.h5
says 2 "on 'fake 2 (no measurement)'; compare them: warpsweep compare p1.h5 product.h5" p1.h5 product.h5 -o x.h5
[[ $(wc -l <out) == 1 ]] && ! grep -q 'its job' out || fail "other differences, too: $(<out)"
[[ ! -e x.h5 && ! -e x.h5.journal ]] || fail "a refused merge leaves a file"

# ---- A point twice
mv p2.h5 kept.h5
stride=$(reader table kept.h5 --columns stride --where status=ok --where repeat=0 | tail -n 1)
WARPSWEEP_FAKE="sleep=0ms;noise=0.02;fail:stride=$stride" "$WARPSWEEP" run job.yaml -o p2.h5 --backend fake --share 2/3 >log 2>&1 || true
[[ $(rows p2.h5 | grep -c 'failed$') -gt 0 ]] || fail "no point of stride $stride has failed"
says 2 'were measured more than once with different results, the first: copy ' p1.h5 kept.h5 p2.h5 p3.h5 -o x.h5
says 1 'of them failed, 0 left' p1.h5 kept.h5 p2.h5 p3.h5 -o last.h5 --prefer last
says 0 'points had different results; --prefer first selected one' p1.h5 kept.h5 p2.h5 p3.h5 -o first.h5 --prefer first
says 0 '22 of 22 points, from 4 files, 0 left' p1.h5 p2.h5 kept.h5 p3.h5 -o ok.h5 --prefer ok
diff <(rows ok.h5) <(rows whole.h5) || fail "with --prefer ok it is not what one run measures"

# ---- Files that a run writes, or that are no results files
: >empty.h5
says 3 'empty.h5' p1.h5 empty.h5 -o x.h5
WARPSWEEP_FAKE=sleep=1s "$WARPSWEEP" run job.yaml -o busy.h5 --backend fake >log 2>&1 &
busy=$!
for _ in $(seq 300); do
    [[ ! -e busy.h5 ]] || break
    sleep 0.05
done
says 3 'busy.h5: a run is writing it' p1.h5 busy.h5 -o x.h5
"$WARPSWEEP" merge busy.h5 -o copy.h5 >log 2>&1 || [ $? -eq 1 ] || { cat log; exit 1; } # alone: what it has
kill -TERM "$busy"
wait "$busy" || true

# ---- A file that grows too large is a message, not a signal, and leaves nothing
code=0
(ulimit -f 8; "$WARPSWEEP" merge p1.h5 p3.h5 -o large.h5) >said 2>&1 || code=$?
[[ $code == 3 ]] || fail "a file that is too large: exit $code: $(<said)"
grep -q 'large.h5.*File too large' said || fail "$(<said)"
[[ -z $(compgen -G 'large.h5*') ]] || fail "left behind: $(echo large.h5*)"
says 2 'a name of 243 bytes; at most 215' p1.h5 p3.h5 -o "$(printf 'n%.0s' $(seq 240)).h5"
# ---- A link to a file that is not there yet stays a link; one into no folder is refused
ln -s target.h5 link.h5
says 1 'points, from 2 files' p1.h5 p3.h5 -o link.h5
[[ -L link.h5 && -s target.h5 ]] || fail "the link was replaced"
ln -s nowhere/target.h5 dangling.h5
says 2 'nowhere/target.h5' p1.h5 p3.h5 -o dangling.h5
[[ -L dangling.h5 ]] || fail "the dangling link was replaced"
