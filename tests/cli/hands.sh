#!/usr/bin/env bash
# The command line for hands: a kernel without a job file, a run that is watched, the best points, one point in
# full. On the fake and the host back end.
source "$(dirname "$0")/setup.sh"
cd "$D"
w() { reader "$@"; }
export LSAN_OPTIONS OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader

# What --print-job prints is the job: its points, its seed, its text in the file.
w run --kernel copy --set stride=1,2,4 --set vector=1,2 --only 'stride<=2' --print-job >job.yaml
w run job.yaml --print-job | cmp - job.yaml || fail "--print-job does not come round"
w run job.yaml -o a.h5 --backend fake 2>/dev/null
w run --kernel copy --set stride=1,2,4 --set vector=1,2 --only 'stride<=2' -o b.h5 --backend fake 2>/dev/null
points() { w table "$1" -c id -s id | tail -n +2; }
[[ $(points a.h5) == "$(points b.h5)" && $(points a.h5 | wc -l) == 4 ]] || fail "other points: $(points b.h5)"
w status b.h5 | grep >/dev/null '4 of 4 points done, 0 left' || fail "what --only leaves out is not left to do: $(w status b.h5)"

# The best point by the median of its rate, and the command that says more.
w run --kernel copy --set size=1MiB -o e.h5 --backend fake 2>log
grep -Eq '^  copy: [0-9.]+ GB/s \(load, id [0-9a-f]{16}\)$' log && grep -qF 'warpsweep table e.h5 --top 1' log || fail "no best point: $(cat log)"

# Resumed on the same host: one device, not one a run, and all rows are held against the same peaks.
job=(run --kernel copy --set size=64KiB --set timing.max_time=2ms --set timing.replicates=1 -o host.h5 --backend host)
w "${job[@]}" --set stride=1 2>/dev/null
w "${job[@]}" --set stride=1,2 --resume 2>/dev/null
w "${job[@]}" --set stride=1,2,4 --resume 2>/dev/null
[[ $(w status host.h5 | grep -c 'host back end') == 1 ]] || fail "a device a resume: $(w status host.h5)"
[[ $(w table host.h5 -c run,device.peak_copy | tail -n +2 | cut -f 1 | sort -u | wc -l) == 3 ]] || fail "not three runs"
[[ $(w table host.h5 -c device.peak_copy | tail -n +2 | sort -u | wc -l) == 1 ]] || fail "several peaks"

# The status of a run is read from its file while the run writes it.
WARPSWEEP_FAKE=sleep=150ms w run --kernel copy --set stride=1,2,4,8 --set vector=1,2,4 -o watched.h5 --backend fake --counters none 2>/dev/null &
run=$!
for ((i = 0; i < 200; i++)); do
    w status watched.h5 >during 2>&1 || true
    grep -q remaining during && break
    sleep 0.05
done
wait $run
grep -Eq '^about [0-9.]+(ms|s) remaining on 1 device$' during || fail "the time that is left: $(cat during)"
w status watched.h5 | has -e remaining -e nan && fail "time is left after the run: $(w status watched.h5)"
grep -q '^running; last journal write' during || fail "status during a run: $(cat during)"
w status watched.h5 | grep >/dev/null '12 of 12 points done, 0 left' || fail "status after the run: $(w status watched.h5)"

# table --top: the largest share of the roof that is not above it, one a group; the same as table sorts.
best=$(w table s.h5 -k copy -w status=ok -w 'fraction_peak<=1.02' -s -fraction_peak -n 1 -c id | tail -n 1)
[[ $(w table s.h5 --top 1 -k copy -c id | tail -n 1) == "$best" ]] || fail "--top: own rate"
w table s.h5 --top 3 | sed -n 1p | has bandwidth || fail "--top does not show what it ranks by"
w table s.h5 --top 1 -c kernel | tail -n +2 | sort | uniq -d | grep . && fail "--top: of each kernel"
[[ $(w table s.h5 --top 2 -k copy -c id | wc -l) == 3 ]] || fail "--top 2"

# show: every column that has a value, the device, as many samples as there are, and how to get the machine code.
id=$(w table host.h5 --top 1 -c id -f tsv | tail -n 1)
w show "$id" host.h5 >out
for text in "$id of host.h5" 'copy variant=load' 'time_median' 'peak_copy' 'missing:' 'the point did not run on a GPU'; do
    grep -qF -- "$text" out || fail "show does not say '$text': $(cat out)"
done
samples=$(w table host.h5 -w "id=$id" -c sample_count | tail -n 1)
[[ $(grep -c '^  from ' out) -ge 1 && $(awk '/^  from /{n += $NF} END {print n}' out) == "$samples" ]] || fail "show: not $samples samples: $(cat out)"
w show "${id:0:6}" host.h5 | grep >/dev/null "^$id of" || fail "show by the beginning of an id"
{ w show '' host.h5 2>&1 || true; } | grep >/dev/null "is not an id" || fail "show of nothing"
data=$SOURCE/analysis/data/h100-copy.h5
code=$(w show "$(w table "$data" --top 1 -c id | tail -n 1)" "$data" | sed -n 's/^machine code: warpsweep \(.*\) --sass$/\1/p')
w $code >out || fail "show names no command: $code: $(cat out)"
