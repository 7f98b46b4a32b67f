#!/usr/bin/env bash
# What a person at a terminal sees: aligned tables, hints that can be pasted, mistakes that are named. What a pipe
# gets has no escape sequence.
source "$(dirname "$0")/setup.sh"
cd "$D"
w() { reader "$@"; }
data=$SOURCE/analysis/data
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
esc=$'\033'
# on_terminal NAME=VALUE... COMMAND ARGUMENT...: what it prints on a pseudo terminal, without carriage returns
on_terminal() {
    python3 - "$@" <<'PYTHON'
import os, pty, sys
words = sys.argv[1:]
env = dict(os.environ, TERM="xterm")
while "=" in words[0]:
    name, value = words.pop(0).split("=", 1)
    env[name] = value
pid, terminal = pty.fork()
if pid == 0:
    os.execve(env["WARPSWEEP"], ["warpsweep"] + words, env)
out = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:
        break
    if not block:
        break
    out += block
os.waitpid(pid, 0)
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
PYTHON
}
refuses() { # refuses CODE WORDS ARGUMENT...
    local code=$1 words=$2 status=0
    shift 2
    w "$@" >out 2>errors || status=$?
    [[ $status == "$code" ]] || fail "$*: exit $status, not $code: $(cat out errors)"
    cat out errors | has -F -- "$words" || fail "$*: it says $(cat out errors), not $words"
}

# table: aligned, scaled and without escape sequences; raw in a pipe or with -f tsv.
rows=(-k copy -w variant=load -w size=1GiB -w dtype=f32 -w vector=1 -w offset=0 -w block=256 -w items=1 -w arch=native)
on_terminal table "$data/h100-copy.h5" "${rows[@]}" >screen
has -aE "[0-9.]+ ± [0-9.]+ GB/s +[0-9.]+ ± [0-9.]+ %$" screen || fail "table: no units: $(cat -v screen)"
! has "$esc" screen || fail "table: escape sequences: $(cat -v screen)"
# Columns are aligned: every line is as long as the head, in characters.
python3 -c 'import sys; sys.exit(len({len(line) for line in open("screen", encoding="utf-8")}) != 1)' ||
    fail "table: not aligned: $(cat screen)"
w table "$data/h100-copy.h5" "${rows[@]}" >pipe
w table "$data/h100-copy.h5" "${rows[@]}" -f tsv | cmp - pipe || fail "table: a pipe does not get tsv"
on_terminal table "$data/h100-copy.h5" "${rows[@]}" -f tsv | cmp - pipe || fail "table -f tsv on a terminal"
w table "$data/h100-copy.h5" "${rows[@]}" -f text | cmp - screen || fail "table -f text in a pipe"
on_terminal table s.h5 -w status=failed -c status,message >screen
[[ $(wc -l <screen) == 2 ]] || fail "a message breaks the table: $(cat -v screen)"
[[ $(w table s.h5 --top 3 -c id | sed -n 1p) == id ]] || fail "--top -c id has other columns: $(w table s.h5 --top 3 -c id)"

# compare: the same on a terminal and in a pipe
on_terminal compare "$data/h100-copy.h5" "$data/h200-copy.h5" >screen
w compare "$data/h100-copy.h5" "$data/h200-copy.h5" | cmp - screen || fail "compare: a pipe gets other words"
w run --kernel copy --set size=96KiB -o made_up.h5 --backend fake --counters none 2>log || fail "$(cat log)"
refuses 1 'nothing to compare: no point was measured on both sides' compare made_up.h5 "$data/h100-copy.h5"
[[ ! -s out && $(wc -l <errors) == 1 ]] || fail "an empty comparison: $(cat out errors)"

# show: bytes in the unit that fits, a bound as report has it, an operand out of place
id=$(w table "$data/h100-runs/unit1-copy.h5" -w status=ok -s -bandwidth -n 1 -c id | tail -n 1)
w show "$id" "$data/h100-runs/unit1-copy.h5" >shown
has -E '^  memory_bytes +79\.18GiB ' shown || fail "show: $(grep bytes shown)"
has -E '^  dram_bytes_written +6\.788MiB ' shown || fail "show: $(grep bytes shown)"
has -E '^  size +16MiB ' shown || fail "show: an axis is not exact: $(grep size shown)"
has -E '^  roof_rate +5741 GB/s ' shown || fail "show: $(grep roof shown)"
cp "$data/h100-copy.h5" "a b.h5"
refuses 2 "the id comes before the file: warpsweep show ${id:0:6} 'a b.h5'" show "a b.h5" "${id:0:6}"

# pivot: names the kernels where several share the cells, and leaves those without the axes out
refuses 2 'several rows for one block and variant, of 11 kernels' pivot "$data/h100-paper.h5" -p rows=block,cols=variant,value=bandwidth
copy=$(w table "$data/h100-paper.h5" -k copy --top 1 -c id | tail -n 1) layout=$(w table "$data/h100-paper.h5" -k layout --top 1 -c id | tail -n 1)
w pivot "$data/h100-paper.h5" -w "id=$copy,$layout" -p rows=stride,cols=dtype,value=bandwidth >out 2>errors || fail "--pivot: $(cat errors)"
has 'note: 1 of 2 rows lack an axis of --parts' errors && [[ $(wc -l <out) == 2 ]] || fail "--pivot: $(cat out errors)"
refuses 2 'no row has both rounds and records' pivot "$data/h100-paper.h5" -p rows=rounds,cols=records,value=bandwidth

# check: no device that is made up, memory that no device has, a share without %
w check --kernel copy --set stride=1 >out
! has fake out || fail "check lists the fake device: $(cat out)"
refuses 1 'its buffers need 2048 GiB; the device has 268.2 GiB' check --kernel copy --set size=1TiB
has 'for a device of at most 268.2 GiB, as the largest device known, NVIDIA B300' out || fail "check: $(cat out)"
refuses 1 'its buffers need 200 GiB; the device has 79.18 GiB' check --kernel copy --set size=100GiB --profile h100
has '^for NVIDIA H100 80GB HBM3' out || fail "check: $(cat out)"
w check --kernel copy --set size=100GiB >out || fail "100 GiB fit a B300: $(cat out)"
refuses 2 'target_ci: 0.5 means 50 %; write 0.5% for 0.5 %, or 50% if you mean that' \
    check --kernel copy --set timing.target_ci=0.5
w check --kernel copy --set timing.target_ci=50% >out && w check --kernel copy --set timing.target_ci=0.005 >out ||
    fail "a target that says what it means"

# A hint can be pasted: a path with a space is quoted.
w run --kernel copy --set stride=1 -o 'my file.h5' --backend fake --counters none 2>log || fail "$(cat log)"
has -F "draw it with: warpsweep plot 'my file.h5' -o figures" log || fail "the hint: $(cat log)"

# A run that is killed before all processes have measured its points: status says what is left, and its first line is what
# slurm/warpsweep.sbatch reads. A resume knows how much of the time is left.
job=(run --kernel copy --set stride=1,2,4,8 --set vector=1,2,4 -o killed.h5 --backend fake --counters none)
WARPSWEEP_FAKE=sleep=100ms "$WARPSWEEP" "${job[@]}" 2>log &
run=$!
for ((i = 0; i < 400; i++)); do
    w status killed.h5 >status 2>/dev/null || true
    has -E '^  processes: 12 points' status && break
    sleep 0.05
done
kill -9 $run
wait $run || true
for ((i = 0; i < 100; i++)); do # the journal of a run that has just died
    w status killed.h5 >status || code=$?
    has 'not running' status && break
    sleep 0.05
done
[[ $code == 1 ]] || fail "status of an unfinished file: exit $code"
line=$(head -n 1 status)
[[ $line =~ :\ ([0-9]+)\ of\ 12\ points\ done(,\ [0-9]+\ of\ them\ failed)?,\ ([0-9]+)\ left$ ]] || fail "status: $line"
done=${BASH_REMATCH[1]} left=${BASH_REMATCH[3]}
((done + left == 12 && left > 0)) || fail "status: $line"
has -E "^  processes: $left points? with fewer than 3 processes" status || fail "status: $(cat status)"
on_terminal WARPSWEEP_FAKE=sleep=100ms "${job[@]}" --resume >screen
tr '\r' '\n' <screen | sed -n 's/.*measuring: \([0-9]*\)\/\([0-9]*\) measurements, \([0-9]*\) % of the time, \(.*\) left$/\1 \2 \3 \4/p' >bars
[[ $(wc -l <bars) -ge 5 ]] || fail "no progress: $(cat -v screen)"
awk '$1 < $2 && ($3 == 100 || $4 == "0us") { exit 1 }
     $1 > 1 && $1 < $2 / 2 && $3 > 90 { exit 1 }' bars || fail "progress of a resume: $(cat bars)"
[[ $(w status killed.h5 | sed -n 1p) == 'killed.h5: 12 of 12 points done, 0 left' ]] || fail "resumed: $(w status killed.h5)"
