# identity.sh WARPSWEEP, with CC, CXX, CUDA and SANITIZE in the environment: the code that was measured is the code that the file names. Calls
# take 2 or at least 60 ms.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
printf '%s\n' 'counters: none' 'timing: {cache: hot, max_time: 20ms, min_samples: 3, replicates: 1}' 'sweeps:' '  - kernel: slow' '    axes: {size: [4KiB, 8KiB, 16KiB]}' >job.yaml

build() { # build FOLDER ARGUMENT...: FOLDER/slow.so, in one step
    mkdir -p "$1"
    out=$1
    shift
    "$CC" -std=gnu17 -shared -fPIC -I "$here/../../src" "$here/slow.c" "$@" -o "$out/new" 2>log && mv "$out/new" "$out/slow.so" ||
        fail "it does not build"
}
took() { # took FILE LEAST MOST [ARGUMENT...]: all times in ms, and there are some. The fastest sample of each: a busy machine adds to others.
    file=$1 least=$2 most=$3
    shift 3
    rows "$file" "${column:-time_min}" --where canary=0 "$@" | awk -v least="$least" -v most="$most" \
        '{ n++; if ($1 < least / 1e3 || $1 > most / 1e3) bad = 1; print } END { exit bad || !n }' >times || fail "times of $file $*: $(cat times)"
}

# ---- A kernel that is built again, or written over, while it is measured
change() { # change RESULTS COMMAND...
    build k -DDELAY=2000
    build other -DDELAY=60000
    cp k/slow.so first.so
    start 1 -o "$1" --backend host --kernels k --set timing.replicates=3
    run=$!
    tries=0
    until grep -q 'to measure' log; do
        tries=$((tries + 1))
        [ $tries -lt 2400 ] || fail "no start"
        sleep 0.05
    done
    file=$1
    shift
    "$@"
    wait $run
    expect "exit code" $? 3
    logged 'the worker loaded other code of --kernels than the run began with'
    column=time_median took "$file" 2 59 # of three processes
}
change moved.h5 mv other/slow.so k/slow.so
launch 3 1 -o moved.h5 --backend host --kernels k --set timing.replicates=3 --resume
logged 'code of slow  .*restore the kernel'
change copied.h5 cp other/slow.so k/slow.so
cp first.so k/slow.so
launch 0 1 -o copied.h5 --backend host --kernels k --set timing.replicates=3 --resume
took copied.h5 2 59

# A descriptor that counts other bytes is other code, though its kernel is the same.
build k -DDELAY=2000 '-DBYTES=20'
launch 3 1 -o copied.h5 --backend host --kernels k --set timing.replicates=3 --resume
logged 'code of slow  .*restore the kernel'

# ---- Another node has another file: no rank starts.
mkdir one two
build one/k -DDELAY=2000
build two/k -DDELAY=60000
for side in one two; do set -- "$@" : -n 1 -wdir "$folder/$side" "$WARPSWEEP" run "$folder/job.yaml" --backend host --kernels k -o "$folder/nodes.h5"; done
shift 2
timeout -k 5 120 mpirun -q --oversubscribe "$@" >log 2>&1 && fail "two ranks measured two kernels"
logged 'the worker loaded other code of --kernels'
[ ! -e nodes.h5 ] || fail "it made a file"

# ---- Two versions: each runs its own helpers, or the pair is refused.
for version in old:2000 new:60000; do
    name=${version%:*}
    mkdir -p lib/"$name"
    printf '#include <unistd.h>\nvoid wait_a_while(void) { usleep(%s); }\n' "${version#*:}" >helper.c
    "$CC" -shared -fPIC helper.c -Wl,-soname,libwait.so.1 -o "lib/$name/libwait.so.1"
    build "lib/$name" -DHELPER=wait_a_while "lib/$name/libwait.so.1" -Wl,-rpath,'$ORIGIN'
    printf '#include <unistd.h>\ninline int delay = %s;\nextern "C" void wait_a_while() { usleep(delay); }\n' "${version#*:}" >helper.cc
    for flag in -fgnu-unique -fno-gnu-unique; do
        "$CXX" -std=c++17 $flag -fPIC -c helper.cc -o helper.o 2>log || continue
        build "cxx$flag/$name" -DHELPER=wait_a_while helper.o
    done
    build "own/$name" -DDELAY="${version#*:}" -DHELPER=hash_text -DOWN
done
refused 'lib/new/slow.so needs .*lib/new/libwait.so.1, but the process has loaded .*lib/old/libwait.so.1' \
    check job.yaml --kernels old=lib/old --kernels new=lib/new
if [ -e cxx-fgnu-unique/new/slow.so ]; then
    refused "share 'delay', which C++ makes one for the whole process; compile both with -fno-gnu-unique" \
        check job.yaml --kernels old=cxx-fgnu-unique/old --kernels new=cxx-fgnu-unique/new
    launch 0 1 -o cxx.h5 --backend host --kernels old=cxx-fno-gnu-unique/old --kernels new=cxx-fno-gnu-unique/new
    took cxx.h5 2 59 --where version=old
    took cxx.h5 50 900 --where version=new
fi
# A function that the program exports, too, is the family's; a sanitizer forbids the flag for that.
if [ "$SANITIZE" != ON ]; then
    launch 0 1 -o own.h5 --backend host --kernels own/new
    took own.h5 50 900
fi
# A library that is replaced is other code.
launch 0 1 -o lib.h5 --backend host --kernels lib/old
cp lib/new/libwait.so.1 lib/old
launch 3 1 -o lib.h5 --backend host --kernels lib/old --resume
logged 'code of slow  .*restore the kernel'

# Also one that is found by a relative path.
(
    mkdir -p near && cp lib/new/libwait.so.1 near
    build relative -DHELPER=wait_a_while near/libwait.so.1
    LD_LIBRARY_PATH="near${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export LD_LIBRARY_PATH
    launch 0 1 -o near.h5 --backend host --kernels relative --only size=4KiB
    printf '#include <unistd.h>\nvoid wait_a_while(void) { usleep(2000); }\n' >helper.c
    "$CC" -shared -fPIC helper.c -Wl,-soname,libwait.so.1 -o near/libwait.so.1
    launch 3 1 -o near.h5 --backend host --kernels relative --resume
    logged 'code of slow  .*restore the kernel'
) || exit 1

# ---- Words are used in full, or refused when the family is loaded.
word=$(printf '%0127d' 0 | tr 0 w)
build words -DDELAY=1 "-DWORD=\"$word\""
"$WARPSWEEP" check --kernel slow --set variant=v,"$word" --kernels words >log 2>&1 || fail "a word of 127 bytes"
logged 'slow: 2 points'
build words -DDELAY=1 "-DWORD=\"${word}w\""
refused "the word '${word}w' of its axis 'variant' has 128 bytes; expected at most 127" check job.yaml --kernels words

# ---- Headers beside NAME.cu are compiled as they were read, and belong to the key of the cache.
if [ "$CUDA" = ON ]; then
    mkdir -p cu/sub
    "$CC" -std=gnu17 -shared -fPIC -I "$here/../../src" "$here/../../examples/family/triad.c" -o cu/triad.so || fail "triad"
    sed 's|^extern "C"|#include "sub/tune.h"\nextern "C"|; s/ELEMENT(3)/ELEMENT(FACTOR)/' "$here/../../examples/family/triad.cu" >cu/triad.cu
    echo '#include "factor.h"' >cu/sub/tune.h
    echo '#define FACTOR 3' >cu/sub/factor.h
    compile() { "$WARPSWEEP" check --kernel triad --set size=64KiB --set variant=plain --kernels cu --arch sm_90 >log 2>&1; }
    compile || fail "headers of the family's folder"
    echo '#error "changed"' >cu/sub/factor.h
    compile && fail "the cache has served code of an earlier header"
    logged 'error directive: "changed"'
    rm cu/sub/factor.h
    echo '#define FACTOR 3' >factor.h # in the working folder
    compile && fail "a header of the working folder was found"
fi

# ---- Families in Python
[ "$SANITIZE" != ON ] || exit 0
. "$here/../find_python.sh"
python=$(find_python numpy) || exit 77
export WARPSWEEP_PYTHON=$python
unset PYTHONDONTWRITEBYTECODE
for version in old:0.002 new:0.06; do
    name=py/${version%:*}
    mkdir -p "$name/_parts"
    printf '%s\n' '"""A call of a fixed duration"""' 'import time' 'import _tune' \
        'axes = {"dtype": ["f32"], "size": "4KiB"}' 'tolerance = 0' \
        'def buffers(p):' '    return {"x": ("input", p.dtype, (p.size // 4,)), "y": ("output", p.dtype, (p.size // 4,))}' \
        'def call(p, x, y):' '    import _parts.late as late' '    time.sleep(_tune.DELAY / 2 + late.DELAY / 2)' '    y[:] = x' \
        'def reference(p, x):' '    return x' >"$name/slow.py"
    echo "DELAY = ${version#*:}" >"$name/_tune.py"
    echo 'from . import deep' >"$name/_parts/__init__.py"
    echo "DELAY = ${version#*:}" >"$name/_parts/deep.py"
    echo 'from .deep import DELAY' >"$name/_parts/late.py"
done
launch 0 1 -o py.h5 --backend host --kernels old=py/old --kernels new=py/new
took py.h5 2 59 --where version=old
took py.h5 50 900 --where version=new
# Bytecode of a file with the same size and time is not used; another helper is other code.
launch 0 1 -o stale.h5 --backend host --kernels py/old
sed 's/0.002/0.06/' py/old/_tune.py >new.py
touch -r py/old/_tune.py new.py && mv new.py py/old/_tune.py
launch 3 1 -o stale.h5 --backend host --kernels py/old --resume
logged 'code of slow  .*restore the kernel'
sed -i 's/0.002/0.06/' py/old/_parts/deep.py
launch 0 1 -o fresh.h5 --backend host --kernels py/old
took fresh.h5 50 900
# What lies in the folder is the family's, although Python's path has the folder, or that of the other version.
cp job.yaml py/old
sed -i 's/0.06/0.002/' py/old/_parts/deep.py
for path in "$folder/py/old" :; do
    (
        export PYTHONPATH="$path${PYTHONPATH:+:$PYTHONPATH}"
        cd py/old || exit 1
        echo 'DELAY = 0.002' >_tune.py
        launch 0 1 -o path.h5 --backend host --kernels .
        took path.h5 2 59
        sed 's/0.002/0.060/' _tune.py >new
        touch -r _tune.py new && mv new _tune.py
        launch 3 1 -o path.h5 --backend host --kernels . --resume
        logged 'code of slow  .*restore the kernel'
        rm path.h5
        launch 0 1 -o path.h5 --backend host --kernels .
        took path.h5 30 900
        rm path.h5
    ) || exit 1
done
echo 'DELAY = 0.002' >py/old/_tune.py
(
    export PYTHONPATH="$folder/py/old${PYTHONPATH:+:$PYTHONPATH}"
    launch 0 1 -o both.h5 --backend host --kernels old=py/old --kernels new=py/new
    took both.h5 2 29 --where version=old
    took both.h5 50 900 --where version=new
) || exit 1
# What is imported by no statement of the family's files is not found, rather than found in a folder that nobody hashes.
sed -i 's/^import _tune/import importlib\n_tune = importlib.import_module("_tune")/' py/new/slow.py
refused "ModuleNotFoundError: No module named '_tune'" kernels --kernels py/new

# ---- What runs after the last sample is what was verified: a call that stops working, or destroys its input, has failed.
mkdir cheat
for kernel in lazy thief; do
    printf '%s\n' '"""A call that cheats from its fifth launch on"""' 'axes = {"dtype": ["f32"], "n": 64, "variant": ["honest", "cheat"]}' 'tolerance = 0' \
        'launches = {}' 'def buffers(p):' '    return {"x": ("input", p.dtype, (p.n,)), "y": ("output", p.dtype, (p.n,))}' \
        'def call(p, x, y):' '    launches[p.variant] = launches.get(p.variant, 0) + 1' \
        '    late = p.variant == "cheat" and launches[p.variant] > 4' >"cheat/$kernel.py"
done
printf '%s\n' '    if not late:' '        y[:] = x' 'def reference(p, x):' '    return x' >>cheat/lazy.py
printf '%s\n' '    y[:] = x' '    if late:' '        x[:] = 0' 'def reference(p, x):' '    return x' >>cheat/thief.py
printf '%s\n' 'counters: none' 'timing: {cache: hot, max_time: 20ms, replicates: 1}' 'sweeps:' '  - kernel: lazy' '    axes: {variant: [honest, cheat]}' \
    '  - kernel: thief' '    axes: {variant: [honest, cheat]}' >job.yaml
launch 1 1 -o cheat.h5 --backend host --kernels cheat
expect "honest calls" "$(points cheat.h5 --where status=ok --where variant=honest)" 2
expect "cheats" "$(rows cheat.h5 message --where status=failed --where variant=cheat | grep -cE '^(after the last sample|the referee): output .*64 of 64 compared elements differ')" 2
expect "times of cheats" "$(rows cheat.h5 time_median,sample_count --where variant=cheat | sort -u | tr '\t' ' ')" "nan 0"

# What a terminal would obey is shown, whoever says it.
mkdir red
printf '%s\n' '"""A call \033[31mred"""' 'axes = {"dtype": ["f32"], "n": 64}' 'tolerance = 0' \
    'def buffers(p):' '    return {"y": ("output", p.dtype, (p.n,))}' 'def call(p, y):' '    raise ValueError("bad \033[31mred")' \
    'def reference(p):' '    raise ValueError("bad")' >red/red.py
printf 'sweeps:\n  - kernel: red\n' >job.yaml
"$WARPSWEEP" kernels --kernels red >log 2>&1
logged 'A call .x1b.31mred'
launch 1 1 -o red.h5 --backend host --kernels red
logged 'ValueError: bad .x1b.31mred'
grep -q "$(printf '\033')" log && fail "an escape sequence reaches the terminal"
exit 0
