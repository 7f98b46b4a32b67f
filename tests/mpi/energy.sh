# Energy in whole runs: what the fake device takes comes back, beside times and counters; what it does not tell is said; and a file
# without energy is completed, with the times that it has.
. "$(dirname "$0")/common.sh"
COLUMNS=id,energy,energy_sampled,energy_power,energy_time,energy_per_bit,energy_per_dram_bit,bytes_read
DRAM=,dram_bytes_read,dram_bytes_written
POINTS=16

job() { # job ENERGY COUNTERS
    cat >job.yaml <<JOB
energy: $1
counters: $2
timing: {max_time: 1s, timeout: 2s, replicates: 2}
sweeps:
  - kernel: copy
    axes: {size: [1MiB, 4MiB], dtype: [f32, f64], stride: [1, 2], vector: [1, 2]}
JOB
}

# planted FILE [COUNTERS]: (100 + id % 400) W and (1 + id % 1000) us for each launch.
planted() {
    rows "$1" "$COLUMNS${2-}" --where status=ok --where repeat=0 | awk -F '\t' '
        function modulo(id, n, i, rest) {
            for (i = 1; i <= length(id); i++)
                rest = (rest * 16 + index("0123456789abcdef", substr(id, i, 1)) - 1) % n
            return rest
        }
        function near(is, expected) {
            if (!(is > expected * 0.995 && is < expected * 1.005)) {
                print $1 ": " is ", not " expected
                bad = 1
            }
        }
        {
            watts = 100 + modulo($1, 400); seconds = 1e-6 * (1 + modulo($1, 1000)); joules = watts * seconds
            near($2, joules); near($3, joules); near($4, watts); near($5, seconds)
            near($6, joules / (16 * $8))
            if ($9 != "") near($7, joules / (8 * ($9 + $10)))
        }
        END { exit bad || !NR }' || fail "$1: not what was planted"
}

statuses() { rows "$1" energy_status --where repeat=0 | sort | uniq -c | sed 's/^ *//'; }

job yes memory
launch 0 2 -o both.h5 --backend fake
complete both.h5
expect "points with energy" "$(statuses both.h5)" "16 measured"
expect "counters beside energy" "$(points both.h5 --where counters_status=counted)" 16
planted both.h5 $DRAM
expect "idle power" "$(rows both.h5 device.idle_power | awk '{ printf "%.6g\n", $1 }' | sort -u)" 60
expect "throttling in the loop" "$(rows both.h5 energy_throttle --where repeat=0 | sort -u)" sw_power_cap
expect "throttling of the samples" "$(rows both.h5 throttle --where repeat=0 | sort -u)" ""
reader table both.h5 -w status=ok -s energy -n 16 -c id -f tsv | tail -n +2 >ranked
rows both.h5 energy,id --where repeat=0 | sort -g | cut -f 2 | diff - ranked || fail "the least energy is not first"
reader show "$(head -n 1 ranked)" both.h5 >shown || fail "show"
grep -q '^energy$' shown && grep -q 'energy_per_bit .* pJ/bit ' shown || fail "show: $(cat shown)"

# Without counters, by the option alone; the timeline has the loops.
job no none
launch 0 2 -o option.h5 --backend fake --energy
planted option.h5
expect "counters" "$(rows option.h5 counters_status --where repeat=0 | sort -u)" none
reader report option.h5 --time | grep -q energy || fail "no energy in the timeline"

# A file without energy is completed; nothing is timed or counted away.
job no memory
launch 0 2 -o later.h5 --backend fake
expect "before" "$(rows later.h5 energy_status | sort -u)" ""
rows later.h5 id,time_median,dram_bytes_read,run --where repeat=0 | sort >before
launch 0 2 -o later.h5 --backend fake --resume --energy
logged '16 lack counters or energy'
expect "after" "$(statuses later.h5)" "16 measured"
planted later.h5 $DRAM
rows later.h5 id,time_median,dram_bytes_read,run --where repeat=0 | sort | diff before - || fail "more than energy has changed"
launch 0 2 -o later.h5 --backend fake --resume --energy
logged '^warpsweep: 0 points to measure'

# What the device does not tell.
job yes none
export WARPSWEEP_FAKE='still:vector=2,stride=1;unmetered:vector=2,stride=2;mislead=1.25:vector=1,stride=2'
launch 1 2 -o wrong.h5 --backend fake
logged '^warpsweep: energy_failed: 4 points'
expect "what is said" "$(statuses wrong.h5)" "$(printf '%s\n' "4 failed: NVML's energy counter stood still for 1 s" '4 measured' \
    '4 measured: power samples differ by +25 %' \
    '4 unsupported: NVML has no energy counter of this device; power samples are in energy_sampled')"
expect "energies" "$(rows wrong.h5 energy --where repeat=0 --where vector=2 | sort -u)" nan
unset WARPSWEEP_FAKE
launch 0 2 -o wrong.h5 --backend fake --resume --retry-failed
expect "after a retry" "$(statuses wrong.h5 | grep -c unsupported)" 1
expect "after a retry" "$(rows wrong.h5 energy_status --where repeat=0 | grep -c '^measured')" 12

# A worker that dies in the loop costs the energy of its point.
export WARPSWEEP_FAKE='uncount:vector=2,stride=2,size=4MiB,dtype=f64'
launch 1 2 -o dies.h5 --backend fake
expect "ok" "$(points dies.h5 --where status=ok)" 16
expect "measured" "$(points dies.h5 --where energy_status=measured)" 15
rows dies.h5 energy_status --where repeat=0 | grep -q '^failed: the worker' || fail "$(statuses dies.h5)"
unset WARPSWEEP_FAKE
launch 0 2 -o dies.h5 --backend fake --resume --retry-failed
expect "after a retry" "$(statuses dies.h5)" "16 measured"

# The host has none, and says so.
job yes none
launch 0 1 -o host.h5 --backend host --set size=64KiB --set timing.max_time=20ms --set timing.cache=hot
expect "host" "$(statuses host.h5)" "8 unsupported: the host back end has no energy counter"
