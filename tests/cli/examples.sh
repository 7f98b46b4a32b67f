#!/usr/bin/env bash
# Every example of every --help runs. Results are copies of small measured files; runs take the fake back end, and a
# launcher is left out. CUPTI does not load beside sanitizers (cli.counters asks for chips without). A usage error or an error of the environment (exit 2 and more) fails, as does a crash.
source "$(dirname "$0")/setup.sh"
data=$SOURCE/analysis/data
mkdir "$D/there" && cd "$D/there"
cp -r "$SOURCE/jobs" .
cp "$data/h200-copy.h5" results.h5
cp "$data/h200-copy.h5" h200.h5
cp "$data/h100-copy.h5" hopper.h5
cp "$data/h200-copy.h5" blackwell.h5
cp "$data/h200-copy.h5" before.h5
cp "$data/h200-copy-again.h5" after.h5
cp "$data/h200-profile.h5" h200-profile.h5
cp "$data/h200-copy.h5" node17.h5
cp "$data/h200-runs/unit1-1.h5" good1.h5
cp "$data/h200-runs/unit2-1.h5" good2.h5
cp "$SOURCE/analysis/pairs.yaml" my_pairs.yaml
"$MAKE_REPLICATES" cluster.h5 1 devices=12 nodes=3 points=8 slow=5 slower=0.1
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
    run) # jobs of the whole device are expanded, small ones measured
        local backend=(--backend fake) dry=()
        [[ " $* " != *' --backend '* ]] || backend=()
        [[ $2 != jobs/* ]] || dry=(--set size=1MiB --only stride=1 --dry-run)
        command "$WARPSWEEP" "$@" "${backend[@]}" "${dry[@]}"
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
        rm -rf paper figures again && mkdir again && cp -r ./*.h5 ./*.yaml jobs my_kernels again # each has the files untouched
        [[ $line != *b200* ]] || cp -r made/. again 2>/dev/null || true
        case $line in
        *--resume*) cp resumed again/results.h5 ;; # the file of a run of this job
        *' run '* | *' -o results.h5') rm -f again/results.h5 again/node17.h5 ;;
        *' -p rows='*) cp "$D/s.h5" again/results.h5 ;; # one row a cell
        *'by headroom'*) cp h200-profile.h5 again/results.h5 ;; # has predictions
        esac
        (cd again && timeout 120 bash -c "set -o pipefail; source ../functions; $line") >said 2>&1 </dev/null || status=$?
        [[ $line != *b200* ]] || { mkdir -p made && cp again/b200*.h5 made/ 2>/dev/null; } || true
        if ((status > 1)) && ! grep -qE 'build with CUDA|there is no nvdisasm|no CUPTI|no libcupti|incompatible with sanitizer runtime' said; then
            echo "FAILED: $line: exit $status: $(head -n 4 said)"
            failures=$((failures + 1))
        fi
    done
done < <(echo help; "$WARPSWEEP" help | sed -n '/^Commands:/,/^$/p' | awk 'NR > 1 && NF {print $1}')
((count > 40)) || fail "only $count examples"
((failures == 0)) || fail "$failures of $count examples fail"
