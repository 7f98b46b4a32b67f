#!/usr/bin/env bash
# tricks.sh WARPSWEEP [BACKEND [PART]...], with BUILD in the environment: what looks faster than it is fails, with its reason, and what is
# honest does not. Of some tricks it is chance which check finds them first. Parts: `calls` in Python; `versions`, the second ones of
# pairs; on a GPU also `kernels`, compiled here and as machine code. MAKE_CODE: the program that makes machine code.
set -euo pipefail
warpsweep=$1 backend=${2:-host} here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../find_python.sh
source "$here/../find_python.sh"
# shellcheck source=../warm/reader.sh
WARPSWEEP=$warpsweep
source "$here/../warm/reader.sh"
modules=numpy rows=2048 columns=1024 replicates=2 together=1 parts=(calls versions)
# On a GPU looking at an element takes as long as all of this work on a small array, and PyTorch takes seconds to load.
[[ $backend == host ]] || { modules='numpy, torch' rows=8192 columns=4096 replicates=1 together=4 parts+=(kernels); }
(($# < 3)) || parts=("${@:3}")
WARPSWEEP_PYTHON=$(find_python "$modules")
export WARPSWEEP_PYTHON
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/tricks.py" "$folder"
cd "$folder"
export WARPSWEEP_CACHE=$folder/cache
options=(--set rows=$rows --set columns=$columns --set timing.replicates=$replicates --set timing.min_samples=5 --set timing.max_time=100ms
    --set timing.cache=cold --seed 7 --backend "$backend" --counters none)
wrong=0
measure() { # measure NAME ARGUMENT...: a run; NAME.outcome: name, status and message of its points
    local name=$1
    rm -f "$name".h5*
    "$warpsweep" run "${@:2}" --backend "$backend" --counters none -o "$name".h5 >"$name".log 2>&1 || true
    reader table "$name".h5 -c "${naming:-variant},status,message" -f tsv 2>&1 | tail -n +2 | tee "$name".outcome
}
aside() { # aside COMMAND...: beside as many others as may run together
    while (($(jobs -pr | wc -l) >= together)); do wait -n || true; done
    "$@" &
}
outcome() { # outcome FILE PATTERN: a line of FILE.outcome begins so
    grep -Eq "^$2" "$1".outcome && return
    echo "$1: expected $2"
    tail -n 30 "$1".log
    wrong=1
}
differ="output .*compared elements differ"
depends='the referee: its time depends on what is in its outputs'
either="failed	.*($differ|its time depends on what is in its outputs|queues nothing|: impossible)"

check_calls() {
    local trick timed=(output_there inputs_seen seed_known)
    local tricks=(pointer_seen first_call every_other stops thread changes_input from_prepare constant half patches_numpy)
    [[ $backend == host ]] || tricks+=(side_stream capture_only capture_skips)
    run_trick() { # in a process of its own, because they count their calls
        measure "$1" --kernel tricks --set variant="$1" --kernels . "${options[@]}"
    }
    run_trick honest # it keeps its results for others
    # Those that only times tell apart have the device to themselves: processes that share one wait for each other.
    # Other programs hide how long they take: then once more.
    for trick in "${timed[@]}"; do
        for _ in 1 2 3; do
            run_trick "$trick"
            ! grep -Eq "^$trick	failed	$depends" "$trick".outcome || break
        done
    done
    options+=(--set timing.replicates=1)
    for trick in "${tricks[@]}"; do aside run_trick "$trick"; done
    wait
    outcome honest 'honest	ok	'
    for trick in "${timed[@]}"; do outcome $trick "$trick	failed	$depends"; done
    for trick in constant half patches_numpy; do outcome $trick "$trick	failed	$differ"; done
    outcome from_prepare "from_prepare	failed	the referee: $differ"
    for trick in pointer_seen first_call every_other thread changes_input; do outcome $trick "$trick	$either"; done
    # A call on a GPU is captured once, and the graph that is verified is the graph that is timed: what it would do later does not run,
    # and whatever acts in capture alone acts in every launch.
    if [[ $backend == host ]]; then
        outcome stops "stops	failed	.*$differ"
    else
        for trick in side_stream capture_skips; do outcome $trick "$trick	failed	."; done
        for trick in stops capture_only; do outcome $trick "$trick	ok	"; done
    fi
}

# The second version of a pair brings more than code: it is refused, or what it brings is not used.
zero='/^def call/,/^    compute/s/^    compute(x, y)/    y[:] = 0/'
candidates=(
    same 'ok	$' ''
    tolerance 'failed	version new brings another tolerance than version old' "s/^tolerance = .*/tolerance = (0, 1e9)/; $zero"
    work 'failed	version new brings other work than version old' '$adef work(p):\n    return {"flops": 10**15}'
    inputs "failed	version new brings another buffer 'x' than version old" 's/(p.rows, p.columns)), "y"/(p.rows, p.columns), (0, 0)), "y"/'
    reference "failed	$differ" "$zero; s/^    return y\$/    return 0 * y/"
    numpy "failed	$differ" "$zero; s/^state = /np.exp = lambda a, out=None, f=np.exp: 0 * a if out is None else f(a, out=out); np.sqrt = lambda a, out=None, f=np.sqrt: 0 * a if out is None else f(a, out=out)\n&/"
    reaches "failed	$differ" "$zero; s/^state = /import __main__\n__main__.families[0].module.reference = lambda p, x: 0 * x\n&/"
)
check_versions() {
    local i name naming=version
    for ((i = 0; i < ${#candidates[@]}; i += 3)); do
        name=pair_${candidates[i]}
        mkdir -p $name/old $name/new
        cp tricks.py $name/old
        sed "${candidates[i + 2]}" tricks.py >$name/new/tricks.py
        [[ $name == pair_same ]] || ! cmp -s tricks.py $name/new/tricks.py || { echo "$name: ${candidates[i + 2]} changes nothing"; wrong=1; }
        aside measure $name --kernel tricks --set variant=honest "${options[@]}" --kernels old=$name/old --kernels new=$name/new
    done
    wait
    for ((i = 0; i < ${#candidates[@]}; i += 3)); do
        outcome pair_${candidates[i]} 'old	ok'
        outcome pair_${candidates[i]} "new	${candidates[i + 1]}"
    done
}

check_kernels() {
    local variant arch sets naming=variant variants=(honest output_there pointer_seen inputs_seen first_call every_other stops constant half changes_input)
    arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n 1p | tr -d .)
    mkdir source code
    sed "s/\"plain\", \"restrict\"/$(printf '"%s", ' "${variants[@]}" | sed 's/, $//')/; s/AXIS_VARIANT(variants, \"plain\")/AXIS_VARIANT(variants, \"honest\")/" \
        "$here/../../examples/family/triad.c" >triad.c
    "${CC:-cc}" -std=gnu17 -shared -fPIC -I "$here/../../src" triad.c -o source/triad.so
    cp source/triad.so code
    cp "$here/tricks.cu" source/triad.cu
    for variant in "${variants[@]}"; do
        "${MAKE_CODE:-make_code}" source/triad.cu "$arch" "code/$variant.cubin" -DBLOCK=256 "-Dvariant_$variant=1" -DELEMENT=float -DELEMENT_SIZE=4
        echo "variant=$variant dtype=f32 block=256 | $arch | $variant.cubin | threads=256" >>code/triad.code
    done
    sets=$(IFS=,; echo "${variants[*]}")
    for from in source code; do measure kernels_$from --kernel triad --set variant="$sets" --set size=64MiB --kernels $from; done
    naming=size,cache measure kernels_sizes --kernel triad --set variant=output_there --set size=1MiB,64MiB,1GiB --set cache=cold,hot --kernels source
    for from in kernels_source kernels_code; do
        outcome $from 'honest	ok	'
        for variant in output_there inputs_seen; do outcome $from "$variant	failed	$depends"; done
        for variant in constant half changes_input; do outcome $from "$variant	failed	.*$differ"; done
        for variant in pointer_seen first_call every_other stops; do outcome $from "$variant	$either"; done
    done
    [[ $(grep -c "	failed	$depends" kernels_sizes.outcome) == 6 ]] || { echo "a kernel that skips its work passes"; wrong=1; }
}

for part in "${parts[@]}"; do
    SECONDS=0
    "check_$part"
    echo "$part: $SECONDS s, $((wrong)) wrong"
done
exit $wrong
