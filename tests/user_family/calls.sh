# calls.sh WARPSWEEP, with CC in the environment: a family whose launches are calls, run on the host: verified, timed, resumed and
# compared; what goes wrong in a call costs its point alone, and is told.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"

# build DIR OPTION...: a folder with calls.so.
build() {
    target=$1
    shift
    mkdir -p "$target"
    "$CC" -std=gnu17 -shared -fPIC "$@" -I "$here/../../src" "$here/calls.c" -o "$target/calls.so" 2>log || fail "calls.c does not build"
}
build calls
export CALLS_LOG=$folder/calls.log

# What the commands say of it.
"$WARPSWEEP" kernels calls --kernels calls >log 2>&1 || fail "kernels does not show it"
logged 'Call: its function `call` queues the launches, also on the host back end'
"$WARPSWEEP" check --kernel calls --kernels calls --arch sm_90 --sass >log 2>&1 || fail "check fails"
logged 'sm_90: no kernel to compile'
reader predict --kernel calls --set size=64MiB --kernels calls --profile h100 -o predicted.h5 >log 2>&1 ||
    fail "predict fails"
rows predicted.h5 status,bound,time_median >log
logged '^ok.dram.[0-9.]*e-0'
[ ! -e calls.log ] || fail "a command that measures nothing has opened a call"

# Each fault costs its own points, with its reason; all calls are closed whose worker lives.
job '{max_time: 10ms, min_samples: 3, max_samples: 20, replicates: 2}' <<'JOB'
  - kernel: calls
    axes: {fault: [none, open, first, later, silent, wrong, crash, huge], size: [4KiB, 64KiB], cache: hot}
  - kernel: calls
    axes: {cache: [clean, cold, rotate], size: 64KiB}
  - kernel: copy
    axes: {size: 64KiB}
JOB
launch 1 2 -o out.h5 --backend host --kernels calls
outcome() { # FAULT STATUS MESSAGE: of both points
    rows out.h5 status,message --where kernel=calls --where fault="$1" --where cache=hot | sort -u >log
    expect "outcomes of fault=$1" "$(grep -c "^$2.$3" log)" "$(wc -l <log)"
    expect "points of fault=$1" "$(points out.h5 --where fault="$1" --where cache=hot)" 2
}
outcome none ok '$'
outcome open failed 'the library is not there'
outcome first failed 'the first call fails'
outcome later failed 'the fourth call fails'
outcome silent failed 'the call failed and gave no reason'
outcome wrong failed "output 'z'\\[.*1 of .* compared elements differ"
outcome crash crashed "the worker was killed by signal 6 (Aborted) in stage 'verify'"
outcome huge unavailable 'its workspace needs 1.074e+09 GiB; the host has '
expect "ok" "$(points out.h5 --where status=ok)" 6
rows out.h5 verified,time_median,timer --where status=ok --where kernel=calls --where size=64KiB | sort -u >log
awk '!($1 == 32768 && $2 > 0 && $3 == "clock") { bad = 1 } END { exit bad || NR != 4 }' log || fail "not all outputs were verified"
expect "processes" "$(rows out.h5 processes --where status=ok --where kernel=calls | sort -u)" 2
grep -v crash calls.log | awk '{ n[$1]++ } END { exit !(n["open"] > 10 && n["open"] == n["close"]) }' ||
    fail "not every call is closed: $(sort calls.log | uniq -c)"

# A call that hangs: in a job of its own, since no other point may depend on a short time limit.
job '{cache: hot, max_time: 10ms, timeout: 3s, replicates: 1}' <<'JOB'
  - kernel: calls
    axes: {fault: hang, size: 64KiB}
JOB
launch 1 2 -o hang.h5 --backend host --kernels calls
rows hang.h5 status,message >log
logged "^timed_out.no result within 3 s in stage 'verify'"

# Nothing of open_call is timed, and the timeline has it.
"$WARPSWEEP" run --kernel calls --set fault=slow --set timing.max_time=10ms --set timing.cache=hot --kernels calls --backend host -o slow.h5 >log 2>&1 ||
    fail "the run with a slow open_call fails"
expect "a slow open_call" "$(rows slow.h5 time_median | awk '{ print ($1 > 0 && $1 < 0.1) }')" 1
reader report slow.h5 --time >log 2>&1 || fail "report --time fails"
logged 'open call'
reader show "$(rows slow.h5 id)" slow.h5 >log 2>&1 || fail "show fails"
logged 'none: the point did not run on a GPU'

# The same object resumes, another does not; also beside device code.
job '{cache: hot, max_time: 10ms, min_samples: 3, max_samples: 20, replicates: 1}' <<'JOB'
  - kernel: calls
    axes: {size: [4KiB, 64KiB]}
JOB
launch 0 1 -o host.h5 --backend host --kernels calls
launch 0 1 -o host.h5 --backend host --kernels calls --resume
build other -DOFFSET=2
launch 3 1 -o host.h5 --backend host --kernels other --resume
logged 'code of calls'
for folder_of in calls other; do
    mkdir -p beside/$folder_of
    cp $folder_of/calls.so beside/$folder_of
    echo '// no kernel' >beside/$folder_of/calls.cu
done
launch 0 1 -o beside.h5 --backend host --kernels beside/calls
launch 3 1 -o beside.h5 --backend host --kernels beside/other --resume
logged 'code of calls'

# Compared with another run, and two versions sample by sample.
launch 0 1 -o other.h5 --backend host --kernels other
reader compare host.h5 other.h5 >log 2>&1 || fail "compare fails"
logged '^calls  *2 '
build again -g
launch 0 1 -o pairs.h5 --backend host --kernels a=calls --kernels b=again
expect "paired" "$(rows pairs.h5 status,paired_with --where status=ok | awk '$2 != "0000000000000000"' | wc -l)" 4
reader compare pairs.h5 >log 2>&1 || fail "compare of pairs fails"
logged '^calls  *2 '
# The first version has the reference: what the second's own one calls right is wrong.
launch 1 1 -o other_pairs.h5 --backend host --kernels a=calls --kernels b=other
expect "verified by the other's reference" "$(rows other_pairs.h5 message --where version=b --where status=failed | grep -c "output 'z'.*compared elements differ")" 2
build eager -DTOLERANCE=1
launch 1 1 -o eager.h5 --backend host --kernels a=calls --kernels b=eager
expect "refused" "$(rows eager.h5 message --where version=b --where status=failed | grep -c 'version b brings another tolerance than version a')" 2

# Without call_on_host it is the reference that runs.
rm calls.log
build reference -DON_HOST=false
launch 0 1 -o reference.h5 --backend host --kernels reference
expect "by the reference" "$(points reference.h5 --where status=ok)" 2
"$WARPSWEEP" kernels calls --kernels reference >log 2>&1
logged 'the host back end runs the reference'

# The fake back end makes results up, and calls nothing.
launch 0 1 -o fake.h5 --backend fake --kernels calls
expect "made up" "$(points fake.h5 --where status=ok)" 2

# The kernels of calls are recorded with the counters, and kept by resume and merge; those of the fake back end are made up. Other
# families have none.
recorded() { # FILE: 2 calls, with all that is said of their kernels
    rows "$1" activity,activity_span,activity_idle --where kernel=calls | sort -u >log
    expect "recorded calls of $1" "$(cat log)" "$(printf '[["fake<float>", [8, 2, 1], [256, 1, 1], 2, 4e-06], ["[memset]", [0, 0, 0], [0, 0, 0], 1, 1e-06]]\t5e-06\t0.2')"
    expect "calls of $1" "$(points "$1" --where kernel=calls)" 2
    expect "recorded, but no calls, of $1" "$(rows "$1" activity --where kernel=copy | sort -u)" ""
}
sed -i 's/^counters: none/counters: memory/' job.yaml
launch 0 1 -o recorded.h5 --backend fake --kernels calls
printf '  - kernel: copy\n    axes: {size: 64KiB}\n' >>job.yaml
launch 0 1 -o recorded.h5 --backend fake --kernels calls --resume
recorded recorded.h5
"$WARPSWEEP" merge recorded.h5 -o merged.h5 >log 2>&1 || fail "merge fails"
recorded merged.h5
reader show "$(rows merged.h5 id --where kernel=calls --where size=64KiB)" merged.h5 >log 2>&1 || fail "show fails"
logged '^ *4.00  80.0%  *2  8x2x1  256x1x1  fake<float>$'
logged '^ *1.00  20.0%  *nothing ran$'
# Points whose state of L2 was disproved are marked, not dropped.
reader table merged.h5 >log 2>&1
grep l2_state log >/dev/null && fail "the table has l2_state where nothing is disproved"
WARPSWEEP_FAKE=disprove:size=64KiB,kernel=calls launch 0 1 -o disproved.h5 --backend fake --kernels calls
reader table disproved.h5 >log 2>&1
logged 'l2_state'
expect "disproved" "$(rows disproved.h5 l2_state | sort | uniq -c | tr -s ' ')" "$(printf ' 2 \n 1 disproved: on request')"
reader report --findings disproved.h5 >log 2>&1 || fail "report fails"
logged "The counters of 1 point disprove that L2 was in the state .*: $(rows disproved.h5 id --where size=64KiB --where kernel=calls)\\."
reader report --findings merged.h5 >log 2>&1 || fail "report fails"
grep disprove log >/dev/null && fail "report names a point that is not disproved"
WARPSWEEP_FAKE=unrecord launch 0 1 -o unrecorded.h5 --backend fake --kernels calls
reader show "$(rows unrecorded.h5 id --where kernel=calls --where size=64KiB)" unrecorded.h5 >log 2>&1 || fail "show fails"
logged '^  missing: not recorded, on request$'
sed -i -e 's/^counters: memory/counters: none/' -e '/kernel: copy/,$d' job.yaml
[ ! -e calls.log ] || fail "open_call was called where no call is"

# A setup that asks for a call that the family has not.
build lonely -DCALL=NULL
"$WARPSWEEP" check job.yaml --kernels lonely >log 2>&1
expect "exit code of check without a call or code" $? 2
logged 'lonely/calls.so: its device code is expected beside it'
echo '// no kernel' >lonely/calls.cu
"$WARPSWEEP" check job.yaml --kernels lonely >log 2>&1
expect "exit code of check without a call" $? 1
logged 'calls: 2 points, 2 failing$'
logged 'fails .* 2 .*its setup has ENGINE_CALL, but the family has no function `call`'
for backend in host fake; do
    launch 1 1 -o lonely-$backend.h5 --backend $backend --kernels lonely
    expect "failed" "$(points lonely-$backend.h5 --where status=failed)" 2
done

# A call has no parts.
build parts -DPARTS=2
"$WARPSWEEP" check job.yaml --kernels parts >log 2>&1
expect "exit code of check of a call of parts" $? 1
logged 'fails .* 2 .*its setup has `parts`, which need ENGINE_KERNEL, ENGINE_PEER_COPY or ENGINE_PEER_COPIES'
launch 1 1 -o parts.h5 --backend host --kernels parts
expect "failed" "$(points parts.h5 --where status=failed)" 2
