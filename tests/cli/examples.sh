#!/usr/bin/env bash
# Every example of the --help of every command in C runs (python/tests/test_commands.py has the others). Results are copies of small measured files; runs take the fake back end, and a
# launcher is left out. CUPTI does not load beside sanitizers (cli.counters asks for chips without). A usage error or an error of the environment (exit 2 and more) fails, as does a crash.
source "$(dirname "$0")/setup.sh"
data=$SOURCE/analysis/data
mkdir "$D/there" && cd "$D/there"
cp -r "$SOURCE/jobs" .
cp "$data/h200-copy.h5" results.h5
cp "$data/h200-copy.h5" h200.h5
cp "$data/h200-copy.h5" before.h5
cp "$data/h200-copy-again.h5" after.h5
printf 'counters: none\ntiming: {max_time: 20ms, min_samples: 3, max_samples: 10, replicates: 1}\nsweeps:\n  - kernel: copy\n    axes: {stride: [1, 2, 16], vector: [1, 16], size: [64KiB, 1MiB]}\n' >job.yaml
for share in 1 2; do
    "$WARPSWEEP" run job.yaml -o "results.$share-of-8.h5" --share "$share/8" --backend fake >/dev/null 2>&1 || fail "run --share $share/8"
done
"$WARPSWEEP" run job.yaml -o resumed.h5 --backend fake >/dev/null 2>&1 && mv resumed.h5 resumed || fail "run job.yaml"
# A kernel of a user's own, as docs/own-kernels.md builds it.
mkdir my_kernels
cp "$SOURCE"/examples/family/*.cu my_kernels/
for source in "$SOURCE"/examples/family/*.c; do
    cc -std=gnu17 -D_GNU_SOURCE -O1 -fPIC -shared -I"$SOURCE/src" -I"$SOURCE" "$source" -o "my_kernels/$(basename "$source" .c).so"
done

"$WARPSWEEP" run --kernel triad --kernels old=my_kernels --kernels new=my_kernels -o pairs.h5 --backend fake >/dev/null 2>&1 || fail "a paired run"

cat >functions <<'END'
warpsweep() {
    case $1 in
    run) # jobs of the whole device are reduced and printed, small ones measured
        local backend=(--backend fake) small=()
        [[ " $* " != *' --backend '* ]] || backend=()
        [[ $2 != jobs/* ]] || small=(--set size=1MiB --only stride=1 --print-job)
        command "$WARPSWEEP" "$@" "${backend[@]}" "${small[@]}"
        ;;
    status) timeout 20 "$WARPSWEEP" "$@" ;;
    *) command "$WARPSWEEP" "$@" ;;
    esac
}
mpirun() { shift 2; "$@"; }
srun() { shift; "$@"; }
END
examples() { # of one page: a command may go on in the next line
    "$WARPSWEEP" "$@" --help | sed -n '/^Examples:/,/^$/p' | grep '^  ' | sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' -e 's/^  //'
}
rm -f results.h5.journal
count=0 failures=0
export WARPSWEEP
while read -r command; do
    mapfile -t lines < <(if [[ $command == help ]]; then examples; else examples "$command"; fi)
    ((${#lines[@]} > 0)) || fail "$command has no example"
    for line in "${lines[@]}"; do
        status=0 count=$((count + 1))
        rm -rf again && mkdir again && cp -r ./*.h5 ./*.yaml jobs my_kernels again # each has the files untouched
        case $line in
        *--resume*) cp resumed again/results.h5 ;; # the file of a run of this job
        *' run '* | *' -o results.h5') rm -f again/results.h5 ;;
        esac
        (cd again && timeout 120 bash -c "set -o pipefail; source ../functions; $line") >said 2>&1 </dev/null || status=$?
        if ((status > 1)) && ! grep -qE 'build with CUDA|there is no nvdisasm|no CUPTI|no libcupti|incompatible with sanitizer runtime' said; then
            echo "FAILED: $line: exit $status: $(head -n 4 said)"
            failures=$((failures + 1))
        fi
    done
done < <(echo help; "$WARPSWEEP" help | sed -n '/^Commands:/,/^$/p' | awk 'NR > 1 && NF {print $1}')
((count > 30)) || fail "only $count examples"
((failures == 0)) || fail "$failures of $count examples fail"
