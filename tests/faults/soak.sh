# soak.sh WARPSWEEP - random faults for SOAK_SECONDS (600), at least SOAK_FAULTS (500) of them, on the fake and the host back end. Each
# run has a seed, which is printed: SOAK_SEED=N repeats that run alone.
. "$(dirname "$0")/invariants.sh"
cat >host_plain.yaml <<'JOB'
title: A small job for the host
counters: none
timing: {max_time: 20ms, min_samples: 3, max_samples: 20, replicates: 1}
sweeps:
  - kernel: copy
    axes: {size: [64KiB, 1MiB], dtype: [f32, f64], stride: [1, 2, 4, 8], vector: [1, 2, 4]}
JOB

# The seed's numbers, one after the other: `draw SIDES` leaves one from 0 on in `drawn`, `choose WORD...` a word in `chosen`.
throw() { pool=$(awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 64; i++) printf "%d ", rand() * 1000000 }'); }
draw() { drawn=$((${pool%% *} % $1)) pool=${pool#* }; }
choose() {
    draw $#
    shift "$drawn"
    chosen=$1
}
choose_points() {
    choose size=1MiB size=4MiB && points=$chosen
    choose dtype=u8 dtype=f16 dtype=f32 dtype=f64 && points=$points,$chosen
    choose stride=1 stride=4 stride=16 stride=137 && points=$points,$chosen
    choose vector=1 vector=2 vector=4 && points=$points,$chosen
}

one_run() {
    throw
    count=0 backend=fake
    choose 2 5 10 20 && faults=sleep=${chosen}ms
    choose 1 2 3 4 && ranks=$chosen
    choose plain plain counted && job=$chosen
    choose - - "worker KILL" "worker STOP" "rank STOP" "first KILL" "first USR1" "rank KILL" && act=$chosen
    [ "$ranks" -gt 1 ] || case $act in rank*) act="first KILL" ;; esac
    draw 6 && rules=$drawn
    POINTS=224 UNSUPPORTED=14 POSSIBLE=210
    draw 8
    [ "$drawn" -ne 0 ] || { backend=host job=host_plain rules=0 faults= POINTS=48 UNSUPPORTED=0 POSSIBLE=48; }
    while [ $count -lt "$rules" ]; do
        choose crash exit garbage fail fail hang uncount stick sick && what=$chosen
        if [ "$what" = sick ]; then
            choose fail crash && what=$chosen
            draw "$ranks" && points=rank=$drawn
            draw 40 && points=$points,after=$drawn
        else
            choose_points
        fi
        faults="$faults;$what:$points"
        count=$((count + 1))
    done
    file=$seed.h5
    echo "seed $seed: $ranks ranks, $backend, $job, '$faults', $act"
    begin "$ranks" "$job" "$file" "$faults" -- --backend "$backend"
    if [ "$act" != - ]; then # it may be over before that
        tries=0
        while [ "$(rows "$file" id --where status=ok 2>/dev/null | wc -l)" -lt 12 ] && kill -0 $run 2>/dev/null && [ $tries -lt 100 ]; do
            tries=$((tries + 1)) && sleep 0.05
        done
        victim=$(ranks_of $run 2>/dev/null | { [ "${act%% *}" = first ] && head -n 1 || tail -n 1; })
        [ "${act%% *}" != worker ] || victim=$(pgrep -P "${victim:-0}" 2>/dev/null | sed -n 1p)
        [ -z "$victim" ] || kill -"${act#* }" "$victim" 2>/dev/null
        count=$((count + 1))
    fi
    wait $run
    code=$?
    [ $code -ne 124 ] && [ $code -ne 137 ] || [ "${act#* }" = KILL ] || fail "seed $seed: the run did not end"
    hold "seed $seed" "$file" $code
    mend "seed $seed" "$file" "$job" --backend "$backend"
    rm -f "$file"
    injected=$((injected + count))
}

injected=0 runs=0 start=$(date +%s)
if [ -n "${SOAK_SEED:-}" ]; then
    seed=$SOAK_SEED
    one_run
else
    first=${SOAK_FIRST:-$start}
    while [ $(($(date +%s) - start)) -lt "${SOAK_SECONDS:-600}" ] || [ $injected -lt "${SOAK_FAULTS:-500}" ]; do
        seed=$((first + runs))
        one_run
        runs=$((runs + 1))
    done
fi
echo "$injected faults in $runs runs, $(($(date +%s) - start)) s: nothing lost, doubled, or left behind"
