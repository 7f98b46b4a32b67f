# Sourced by the tests: a folder of their own, a job of 224 points (14 of them impossible), and short words for
# running it under mpirun and looking at the results.
set -u
WARPSWEEP=$1
command -v mpirun >/dev/null || { echo "no mpirun here: skipped"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# One node: Open MPI need not look for networks at each start, which takes longer than most of these runs.
# And when a rank ends with another exit code than 0 there is nothing to wait for before the others are killed.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_odls_base_sigkill_timeout=0
# In a sanitizer build Open MPI leaks, much of it in parts that are unloaded by the end: leaks alone do not change the
# exit code. Those with a file of this project in their stack are failures, see `launch`.
suppressions=$here/mpi.supp # or, of tests beside these, in their folder
[ -f "$suppressions" ] || suppressions=$here/../mpi/mpi.supp
export LSAN_OPTIONS="exitcode=0:suppressions=$suppressions:print_suppressions=0"
unset WARPSWEEP_FAKE
# How long points took before decides which come first: not what other tests have left.
export WARPSWEEP_CACHE=$folder/cache
POINTS=224 UNSUPPORTED=14 POSSIBLE=210

# job TIMING: in job.yaml, of the sweeps that come in.
job() { { printf 'title: A job of a test\ncounters: none\ntiming: %s\nsweeps:\n' "$1" && cat; } >job.yaml; }

job '{max_time: 1s, timeout: 2s, replicates: 1}' <<'JOB'
  - kernel: copy
    axes:
      size: [1MiB, 4MiB]
      dtype: [u8, f16, f32, f64]
      stride: [1, 2, 4, 8, 16, 32, 137]
      vector: [1, 2, 4, 8]
JOB

. "${here%/*}/warm/reader.sh"

fail() {
    echo "FAILED: $*"
    sed 's/^/  log: /' log 2>/dev/null
    exit 1
}

# start RANKS ARGUMENT...: in the background, as $!; what it prints goes to `log`.
start() {
    ranks=$1
    shift
    timeout -k 5 240 mpirun -q --oversubscribe -n "$ranks" "$WARPSWEEP" run job.yaml "$@" >log 2>&1 &
}

# launch EXPECTED-EXIT-CODE RANKS ARGUMENT...
launch() {
    expected=$1
    shift
    start "$@"
    wait $!
    code=$?
    [ $code -eq "$expected" ] || fail "exit code $code, not $expected, from: $*"
    ! grep -q ' in .*/src/[a-z]*/[a-z_]*\.c:[0-9]' log || fail "a sanitizer has found something"
}

# kill_and_resume RANKS POINTS: rank 0 is killed while the job's slowed points are measured. A resumed run measures what is missing, and
# leaves the rows that are there.
kill_and_resume() {
    export WARPSWEEP_FAKE=sleep=50ms
    start "$1" -o killed.h5 --backend fake
    run=$!
    until_rows killed.h5 15
    kill -9 "$(ranks_of $run | sed -n 1p)"
    wait $run && fail "a run whose rank 0 was killed ended with 0"
    sleep 0.2
    rows killed.h5 id,device,time_median --where status=ok | sort >before
    [ "$(wc -l <before)" -ge 10 ] && [ "$(wc -l <before)" -lt "$2" ] || fail "$(wc -l <before) rows were kept"
    WARPSWEEP_FAKE= launch 0 "$1" -o killed.h5 --backend fake --resume
    expect "ok" "$(points killed.h5 --where status=ok)" "$2"
    rows killed.h5 id,device,time_median --where status=ok | sort >after
    expect "rows that the resumed run touched" "$(comm -23 before after | wc -l)" 0
    export WARPSWEEP_FAKE=
}

# rows FILE COLUMNS [ARGUMENT...]: tab-separated, without the head.
rows() {
    file=$1 columns=$2
    shift 2
    reader table "$file" --columns "$columns" "$@" 2>>table_log | tail -n +2
}

# points FILE [ARGUMENT...]: how many points, repetitions not counted, have a row. `status` counts them by status, and by what became of
# their counters, in a fiftieth of the time of `table`, which is Python.
points() {
    file=$1
    shift
    case "$*:$#" in
    :0) count_points "$file" by_status '' ;;
    '--where status='*:2) count_points "$file" by_status "${2#*=}" ;;
    '--where counters_status='*:2) count_points "$file" by_counters "${2#*=}" ;;
    *) rows "$file" id,repeat --where repeat=0 "$@" | sort -u | wc -l ;;
    esac
}

# count_points FILE MEMBER WORDS: the sum of these words of a member, of all for ''.
count_points() {
    "$WARPSWEEP" status "$1" -f json 2>>table_log | awk -v member="\"$2\":" -v words=",$3," '
        $1 == member && !found++ {
            gsub(/[{}":,]/, " ")
            for (i = split($0, word, " "); i > 2; i -= 2)
                sum += words == ",," || index(words, "," word[i - 1] ",") ? word[i] : 0
        }
        END { print sum + 0 }'
}

expect() { # expect WHAT IS SHOULD-BE
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

logged() {
    grep -q -e "$1" log || fail "the log does not say '$1'"
}

# environment FILE NAME [VALUE]: the file has that pair.
environment() {
    h5dump -d /environment "$1" 2>/dev/null | grep -A1 "\"$2" >pair || fail "/environment of $1 has no $2"
    grep -q "\"${3:-}" pair || fail "/environment of $1: $2 is not $3: $(cat pair)"
}

# refused TEXT ARGUMENT...: exit code 2 and a message with the text.
refused() {
    text=$1
    shift
    "$WARPSWEEP" "$@" >log 2>&1
    expect "exit code of $*" $? 2
    logged "$text"
}

# Every point has one row, and the file, which no reader takes with two of a point, is closed in order.
complete() {
    expect "points" "$(points "$1")" $POINTS
    [ ! -e "$1.journal" ] || fail "a journal was left"
}

# until_rows FILE COUNT: wait for so many measured rows while a run goes on.
until_rows() {
    tries=0
    while :; do
        [ "$(points "$1" --where status=ok)" -ge "$2" ] && return
        tries=$((tries + 1))
        [ $tries -lt 2400 ] || fail "the run does not get on"
        sleep 0.05
    done
}

# ranks_of PID: the ranks below a `timeout mpirun`.
ranks_of() { pgrep -P "$(pgrep -P "$1")" -x warpsweep; }
