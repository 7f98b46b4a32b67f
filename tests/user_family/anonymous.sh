# anonymous.sh WARPSWEEP, with CC in the environment: a file that was made on an odd host, with own kernels and failures, has none of the
# words by which host, user and folders could be known; readers, resumed runs and merges work with it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
command -v h5repack >/dev/null || { echo "no h5repack here: skipped"; exit 77; }

export ODD_HOST=plugh7.frobnitz.example ODD_USER=quuxuser ODD_HOME=$folder/homes/quuxuser HOME=$folder/homes/quuxuser
WORDS='plugh7 frobnitz quuxuser zorkjobs wibblejob xyzzykern grueout snarkcluster'
mkdir -p "$HOME/zorkjobs" "$HOME/xyzzykern" "$HOME/grueout"
# A message and a comment that say where they are.
sed "s|the first call fails|$HOME/xyzzykern/data on plugh7 of quuxuser, xyzzykern/x|; 1i/* quuxuser wrote it in $HOME/xyzzykern on plugh7 */" \
    "$here/calls.c" >"$HOME/xyzzykern/calls.c"
"$CC" -std=gnu17 -shared -fPIC -I "$here/../../src" "$HOME/xyzzykern/calls.c" -o "$HOME/xyzzykern/calls.so" || fail "calls.c"
"$CC" -std=gnu17 -shared -fPIC -D_GNU_SOURCE "$here/odd_host.c" -o "$HOME/odd_host.so" || fail "odd_host.c"
cat >"$HOME/zorkjobs/wibblejob.yaml" <<'JOB'
title: "quuxuser on plugh7: #1" # and a comment
# by quuxuser@frobnitz
counters: none
timing: {max_time: 10ms, min_samples: 3, max_samples: 20, replicates: 1}
sweeps:
  - kernel: calls # as quuxuser has it on plugh7
    axes: {size: [4KiB, 8KiB], fault: [none, first]}
JOB

# odd EXIT-CODE RANKS ARGUMENT...
odd() {
    code=$1 ranks=$2
    shift 2
    SLURM_CLUSTER_NAME=snarkcluster APPTAINER_CONTAINER=$HOME/grueout/image.sif CUDA_VISIBLE_DEVICES=GPU-712be5eb-19d8-4b5e-5329-3c54e6de23d9 \
        OMP_PLACES=$HOME/zorkjobs/places timeout -k 5 120 mpirun -q --oversubscribe -n "$ranks" env LD_PRELOAD="$HOME/odd_host.so" \
        "$WARPSWEEP" run "$@" >log 2>&1
    expect "exit code of $*" $? "$code"
}

# words FILE: those that the file has, its bytes, and what they are when they are decompressed.
words() {
    rm -f flat.h5
    h5repack -f NONE "$1" flat.h5 || fail "h5repack"
    for word in $WORDS 712be5eb-19d8; do
        [ "$(cat "$1" flat.h5 | grep -ac "$word")" = 0 ] || printf '%s ' "$word"
    done
}

job=$HOME/zorkjobs/wibblejob.yaml
anonymous() { # anonymous FILE HOST
    expect "words in $1" "$(words "$1")" ""
    environment "$1" anonymous yes
    environment "$1" hosts "$2"
    rows "$1" device.host --where status=ok | sort -u >hosts
    expect "host of $1" "$(cat hosts)" "$2"
}

odd 1 1 "$job" --kernels "$HOME/xyzzykern" --backend host -o "$HOME/grueout/plain.h5"
for word in plugh7 frobnitz zorkjobs wibblejob xyzzykern grueout snarkcluster; do # else the test finds nothing
    case $(words "$HOME/grueout/plain.h5") in *$word*) ;; *) fail "a plain file lacks $word" ;; esac
done
environment "$HOME/grueout/plain.h5" container_image '~/grueout/image.sif'
odd 1 1 "$job" --kernels "$HOME/xyzzykern" --backend host -o "$HOME/grueout/a.h5" --anonymous
anonymous "$HOME/grueout/a.h5" node1
"$WARPSWEEP" status "$HOME/grueout/a.h5" >log 2>&1
logged 'PATH on node1 of .USER, PATH/x'

# A resumed run without the option goes on as it was; a run with nothing to do leaves the file.
cp "$HOME/grueout/a.h5" before.h5
odd 1 1 "$job" --kernels "$HOME/xyzzykern" --backend host -o "$HOME/grueout/a.h5" --resume
cmp "$HOME/grueout/a.h5" before.h5 || fail "a run without anything to do changed the file"
sed -i 's/8KiB/8KiB, 16KiB/' "$job"
odd 1 1 "$job" --kernels "$HOME/xyzzykern" --backend host -o "$HOME/grueout/a.h5" --resume
anonymous "$HOME/grueout/a.h5" node1
expect "devices" "$(rows "$HOME/grueout/a.h5" device --where status=ok | sort -u | wc -l)" 1
odd 2 1 "$job" --kernels "$HOME/xyzzykern" --backend host -o "$HOME/grueout/plain.h5" --resume --anonymous
logged 'plain.h5 is not anonymous; warpsweep merge --anonymous '

# A file that exists; the same unit has the same UUID.
LD_PRELOAD=$HOME/odd_host.so "$WARPSWEEP" merge --anonymous "$HOME/grueout/plain.h5" -o "$HOME/grueout/m.h5" >log 2>&1
anonymous "$HOME/grueout/m.h5" node1
for file in a m; do rows "$HOME/grueout/$file.h5" device.uuid --where status=ok | sort -u >$file.uuid; done
cmp a.uuid m.uuid || fail "the unit has two names: $(cat a.uuid m.uuid)"
reader compare "$HOME/grueout/a.h5" "$HOME/grueout/m.h5" >log 2>&1 || fail "compare"
odd 1 1 "$job" --kernels "$HOME/xyzzykern" --backend host -o "$HOME/grueout/b.h5" --anonymous
reader history "$HOME/grueout/a.h5" "$HOME/grueout/b.h5" "$HOME/grueout/m.h5" >log 2>&1 || fail "history"
reader report "$HOME/grueout/m.h5" >log 2>&1 || fail "report"
if command -v gnuplot >/dev/null; then
    reader paper "$HOME/grueout/m.h5" -o paper >log 2>&1 || fail "paper"
    grep -q 'on node1: driver' paper/sections/file-*.tex || fail "the paper does not say where it was measured"
    for word in $WORDS; do ! grep -rq "$word" paper || fail "the paper has $word"; done
fi
LD_PRELOAD=$HOME/odd_host.so "$WARPSWEEP" merge "$HOME/grueout/plain.h5" "$HOME/grueout/m.h5" -o "$HOME/grueout/both.h5" >log 2>&1
[ -e "$HOME/grueout/both.h5" ] || fail "an anonymous file and another were not merged"
anonymous "$HOME/grueout/both.h5" node1

# Ranks in containers of one node, each of a name of its own.
timeout -k 5 120 mpirun -q --oversubscribe -n 1 env LD_PRELOAD="$HOME/odd_host.so" "$WARPSWEEP" run --kernel copy --set size=1MiB --backend fake \
    --anonymous -o "$HOME/grueout/c.h5" : -n 1 env LD_PRELOAD="$HOME/odd_host.so" ODD_HOST=snarkcluster7.frobnitz "$WARPSWEEP" run --kernel copy \
    --set size=1MiB --backend fake --anonymous -o "$HOME/grueout/c.h5" >log 2>&1 || fail "two containers"
expect "words in c.h5" "$(words "$HOME/grueout/c.h5")" ""

# The journal of a killed run.
WARPSWEEP_FAKE='fail:stride=2;sleep=100ms' LD_PRELOAD=$HOME/odd_host.so "$WARPSWEEP" run --kernel copy --set size=1MiB --set stride=1,2,4,8 \
    --set vector=1,2,4 --backend fake --anonymous -o "$HOME/grueout/k.h5" >log 2>&1 &
until_rows "$HOME/grueout/k.h5" 3
kill -9 $!
wait $! 2>kill_log
[ -s "$HOME/grueout/k.h5.journal" ] || fail "no journal was left"
for word in $WORDS; do
    ! cat "$HOME/grueout/k.h5" "$HOME/grueout/k.h5.journal" | grep -aq "$word" || fail "the journal has $word"
done

# What happened to ranks; a fleet is judged.
WARPSWEEP_FAKE=crash:rank=1 odd 1 4 --kernel copy --set size=1MiB,2MiB,4MiB --set timing.replicates=1 --set timing.devices=all --backend fake \
    -o "$HOME/grueout/f.h5" --anonymous
anonymous "$HOME/grueout/f.h5" node1
environment "$HOME/grueout/f.h5" quarantined 'rank 1, .* on node1 (fake-'
reader judge --fleet "$HOME/grueout/f.h5" >log 2>&1
logged 'LACKS'
exit 0
