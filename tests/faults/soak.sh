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

# dice SEED SIDES: from 0 on; the next one of the seed's row.
dice() {
    row=$((row + 1))
    echo "$seed $row $1" | cksum | awk -v sides="$1" '{ print int($1 / 7) % sides }'
}
pick() { shift "$(dice $#)" && echo "$1"; }
where() {
    echo "$(pick size=1MiB size=4MiB),$(pick dtype=u8 dtype=f16 dtype=f32 dtype=f64),$(pick stride=1 stride=4 stride=16 stride=137),$(pick vector=1 vector=2 vector=4)"
}

one_run() {
    row=0 count=0 faults=sleep=$(pick 2 5 10 20)ms backend=fake
    ranks=$(pick 1 2 3 4) job=$(pick plain plain counted) act=$(pick - - "worker KILL" "worker STOP" "rank STOP" "first KILL" "first USR1" "rank KILL")
    [ "$ranks" -gt 1 ] || case $act in rank*) act="first KILL" ;; esac
    rules=$(dice 4)
    if [ "$(dice 8)" -eq 0 ]; then
        backend=host job=host_plain rules=0
        POINTS=48 UNSUPPORTED=0 POSSIBLE=48
    else
        POINTS=224 UNSUPPORTED=14 POSSIBLE=210
    fi
    while [ $count -lt "$rules" ]; do
        what=$(pick crash exit garbage fail fail hang uncount stick sick)
        case $what in
        sick) faults="$faults;$(pick fail crash):rank=$(dice "$ranks"),after=$(dice 40)" ;;
        *) faults="$faults;$what:$(where)" ;;
        esac
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
        [ "${act%% *}" != worker ] || victim=$(pgrep -P "${victim:-0}" 2>/dev/null | head -n 1)
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
