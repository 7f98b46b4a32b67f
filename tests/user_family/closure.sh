# closure.sh WARPSWEEP: what decides what is measured beyond the files of the families, and who says that it differs. Calls take 2 or 60 ms; no
# measured time is between.
. "$(dirname "$0")/../mpi/common.sh"
. "$here/../find_python.sh"

# ---- Variables: resume, merge and compare name those that differ, and those that one side has not set.
sweep() { printf '%s\n' 'counters: none' 'timing: {max_time: 10ms, replicates: 1}' 'sweeps:' '  - kernel: copy' "    axes: {size: 64KiB, stride: $1}" >job.yaml; }
sweep '[1, 2]'
export NCCL_ALGO=Ring TORCH_HOME=/a TRITON_CACHE_DIR=/a OMP_NUM_THREADS=1
for way in "r.h5 --only stride=1" "1.h5 --share 1/2" x.h5; do
    # shellcheck disable=SC2086
    launch 0 1 -o $way --backend fake
done
environment r.h5 NCCL_ALGO Ring
environment r.h5 reference.copy
cp r.h5 before.h5
export TORCH_HOME=/b TRITON_CACHE_DIR=/b CUDA_LAUNCH_BLOCKING=1 CUBLAS_WORKSPACE_CONFIG=:16:8 NVIDIA_TF32_OVERRIDE=0
unset NCCL_ALGO
launch 3 1 -o r.h5 --backend fake --resume
logged 'NCCL_ALGO  *Ring  *not set  *restore the variable'
logged 'NVIDIA_TF32_OVERRIDE  *not set  *0  *restore the variable'
logged 'not compatible with this run: .*CUDA_LAUNCH_BLOCKING'
grep -qE 'TORCH_HOME|TRITON_CACHE_DIR|OMP_NUM_THREADS' log && fail "a variable that changes nothing, or has not changed, was named"
cmp r.h5 before.h5 || fail "a refused run touched the file"
launch 0 1 -o 2.h5 --share 2/2 --backend fake
launch 0 1 -o y.h5 --backend fake
refused "2.h5 was not measured as 1.h5 was: .*NCCL_ALGO 'not set', not 'Ring'" merge 1.h5 2.h5 -o merged.h5
reader compare x.h5 y.h5 >log 2>&1 || fail "compare"
logged 'NCCL_ALGO (Ring, not set)'
logged 'NVIDIA_TF32_OVERRIDE (not set, 0)'
grep -q 'TORCH_HOME' log && fail "compare names a folder"
unset CUDA_LAUNCH_BLOCKING CUBLAS_WORKSPACE_CONFIG NVIDIA_TF32_OVERRIDE
NCCL_ALGO=Tree launch 0 1 -o 3.h5 --share 2/2 --backend fake
refused "3.h5 was not measured as 1.h5 was: .*; if that is harmless: --accept NCCL_ALGO" merge 1.h5 3.h5 -o merged.h5
"$WARPSWEEP" merge 1.h5 3.h5 -o merged.h5 --accept NCCL_ALGO >log 2>&1 || fail "what was accepted was not merged"
environment merged.h5 accepted NCCL_ALGO
"$WARPSWEEP" status merged.h5 >log 2>&1 || fail "the merged file is not whole"
"$WARPSWEEP" compare merged.h5 x.h5 >log 2>&1 || fail "compare"
logged 'A has points of different NCCL_ALGO, by --accept'
sed '/stride/s/]/, 3]/' job.yaml >more && mv more job.yaml
launch 2 1 -o r.h5 --backend fake --resume --accept timing
logged "accept 'timing': expected what may differ"
"$WARPSWEEP" merge 1.h5 2.h5 -o other.h5 --accept NCCL_ALGO >log 2>&1 && fail "other differences were merged"
logged 'if that is harmless: --accept '
launch 0 1 -o accepted.h5 --backend fake --only stride=1
NCCL_ALGO=Tree launch 0 1 -o accepted.h5 --backend fake --resume --accept NCCL_ALGO
environment accepted.h5 accepted NCCL_ALGO
NCCL_ALGO=Tree launch 0 1 -o accepted.h5 --backend fake --resume
reader compare accepted.h5 x.h5 >log 2>&1 || fail "compare"
logged 'A has points of different NCCL_ALGO, by --accept'
NCCL_ALGO=Ring launch 0 1 -o r.h5 --backend fake --resume
timeout -k 5 120 mpirun -q --oversubscribe -n 1 "$WARPSWEEP" run job.yaml --backend fake -o ranks.h5 : \
    -n 1 env NCCL_ALGO=Tree "$WARPSWEEP" run job.yaml --backend fake -o ranks.h5 >log 2>&1 && fail "two ranks had two algorithms"
logged "it would not measure what another rank measures: NCCL_ALGO is '\(Tree\|not set\)', not '\(Tree\|not set\)'"
[ ! -e ranks.h5 ] || fail "it made a file"

# ---- Families in Python
[ "$SANITIZE" != ON ] || exit 0
python=$(find_python numpy) || exit 77
export WARPSWEEP_PYTHON=$python
packages=$PYTHONPATH # where they are installed with pip --target
# family FOLDER IMPORT DELAY [LINE...]: FOLDER/slow.py
family() {
    mkdir -p "$1"
    of=$1 import=$2 delay=$3
    shift 3
    printf '%s\n' '"""A call of a fixed duration"""' 'import time' 'from pathlib import Path' "$import" 'HERE = Path(__file__).parent' 'axes = {"dtype": ["f32"], "n": 64}' \
        'tolerance = 0' 'def buffers(p):' '    return {"x": ("input", p.dtype, (p.n,)), "y": ("output", p.dtype, (p.n,))}' "$@" \
        'def call(p, x, y):' "    time.sleep($delay)" '    y[:] = x' 'def reference(p, x):' '    return x' >"$of/slow.py"
}
sweep_slow() { printf '%s\n' 'counters: none' "timing: {cache: hot, max_time: $2, min_samples: 3, replicates: $3}" 'sweeps:' '  - kernel: slow' "    axes: {n: $1}" >job.yaml; }
all_fast() { rows "$1" time_median --where canary=0 --where status=ok | awk '{ n++; bad += $1 >= 0.06 } END { exit bad || !n }' || fail "$1 has times of both codes, or none"; }

# A package of another version, or of the same version with other bytes: on another rank, and before a resume.
for version in 1.0:0.002 2.0:0.06; do
    mkdir -p "${version%:*}/parts"
    printf '__version__ = "%s"\nfrom .deep import DELAY\n' "${version%:*}" >"${version%:*}/parts/__init__.py"
    echo "DELAY = ${version#*:}" >"${version%:*}/parts/deep.py"
done
family k 'import parts' parts.DELAY
sweep_slow '[1, 2, 3, 4]' 20ms 1
run="run job.yaml --backend host --kernels k -o ranks.h5"
# shellcheck disable=SC2086
timeout -k 5 120 mpirun -q --oversubscribe -n 1 env PYTHONPATH="$folder/1.0:$packages" "$WARPSWEEP" $run : -n 1 env PYTHONPATH="$folder/2.0:$packages" "$WARPSWEEP" $run >log 2>&1 &&
    fail "two ranks had two versions of a package"
logged "module parts is '[12].0', not '[12].0'"
[ ! -e ranks.h5 ] || fail "it made a file"
rm r.h5
PYTHONPATH=$folder/1.0:$packages launch 0 2 -o r.h5 --backend host --kernels k --only n=1,2
environment r.h5 module.parts 1.0
PYTHONPATH=$folder/2.0:$packages launch 3 2 -o r.h5 --backend host --kernels k --resume
logged 'module parts  *1.0  *2.0  *install the version of the file'
sed 's/0.002/0.06/' 1.0/parts/deep.py >new && mv new 1.0/parts/deep.py
PYTHONPATH=$folder/1.0:$packages launch 3 2 -o r.h5 --backend host --kernels k --resume
logged 'file parts/deep.py .*restore the file'
all_fast r.h5

# The same in mid-run: the process that loads other code adds nothing, and the run says which.
sed 's/0.06/0.002/' 1.0/parts/deep.py >new && mv new 1.0/parts/deep.py
sweep_slow 1 1s 4
PYTHONPATH=$folder/1.0:$packages start 1 -o m.h5 --backend host --kernels k
run=$!
until_rows m.h5 1
sed 's/0.002/0.06/' 1.0/parts/deep.py >new && mv new 1.0/parts/deep.py
wait $run && fail "the run did not say that a package was edited"
logged "loaded something else than this file was measured with: file parts/deep.py is"
all_fast m.h5

# A file that the family reads by itself: before a resume, and between two points of one process.
family r 'import json' p.delay 'def prepare(p):' '    p.delay = float((HERE / "k.cu").read_text())' \
    '    tuned = HERE / "tuned.json"' '    tuned.write_text(json.dumps(time.time()))' '    json.loads(tuned.read_text())'
echo 0.002 >r/k.cu
sweep_slow '[1, 2]' 20ms 2
launch 0 1 -o k.h5 --backend host --kernels r --only n=1
echo 0.06 >r/k.cu
launch 3 1 -o k.h5 --backend host --kernels r --resume
logged 'code of slow  .*restore the kernel'
all_fast k.h5
echo 0.002 >r/k.cu
sweep_slow '[1, 2, 3, 4, 5, 6, 7, 8]' 500ms 1
start 1 -o k2.h5 --backend host --kernels r
run=$!
until_rows k2.h5 1
echo 0.06 >r/k.cu
wait $run && fail "the run did not say that a file was edited"
logged 'file k.cu is'
all_fast k2.h5
# ---- The sources are in the file, to the byte, and what they make is the same code.
family s 'import _parts.deep' _parts.deep.DELAY 'def prepare(p):' '    (HERE / "odd.h").read_bytes()'
mkdir -p s/_parts s/more
: >s/_parts/__init__.py
echo 'DELAY = 0.002' >s/_parts/deep.py
printf '#include "more/tune.h"\n\ttab, \\n, \303\244, \033, %03000d\r\nno end' 0 >s/odd.h
echo '#define TUNE' >s/more/tune.h
echo 'of nobody' >s/other.h
sweep_slow '[1, 2]' 20ms 1
sources() { # sources FILE FOLDER
    id=$(rows "$1" id --where canary=0 | sed -n 1p)
    reader show "$id" "$1" --sources "$2" >log 2>&1
}
same_sources() { diff -r -x other.h -x __pycache__ "$1" "$2" >log || fail "$2 differs"; }
for share in 1 2; do launch 0 1 -o part$share.h5 --backend host --kernels s --share $share/2; done
"$WARPSWEEP" merge part1.h5 part2.h5 -o s.h5 >log 2>&1 || fail "merge"
sources s.h5 out || fail "show --sources"
logged 'out: 5 source files; measure it again: --kernels out'
[ ! -e out/other.h ] || fail "it has a file of nobody"
same_sources s out
sources s.h5 out && fail "it has written into a folder with files"
logged 'out exists and is not an empty folder'
launch 0 1 -o part1.h5 --backend host --kernels out --share 1/2 --resume
logged '^warpsweep: 0 points to measure'
sources part1.h5 again || fail "a resumed file has no sources"
same_sources s again
launch 0 1 -o none.h5 --backend host --kernels s --no-sources
sources none.h5 none && fail "--no-sources has stored them"
logged 'none.h5 has no sources'
yes '// a line of 32 bytes, with its end' | head -n 40000 >s/more/tune.h
launch 0 1 -o long.h5 --backend host --kernels s
logged 'the sources of the kernels are not stored: 1.3. MiB, and the limit is 1 MiB'

# ---- What is verified has a hash of its own, which compare names; what is timed is not in it.
cp -r out verified
cp -r out timed
sed -i 's/^    return x$/    return x * 1/' verified/slow.py
sed -i 's/^    y\[:\] = x$/    y[:] = x * 1/' timed/slow.py
sweep_slow 1 20ms 1
for of in out verified timed; do launch 0 1 -o of_$of.h5 --backend host --kernels $of; done
reader compare of_out.h5 of_verified.h5 >log 2>&1 || fail "compare"
logged 'Different reference of slow: '
reader compare of_out.h5 of_timed.h5 >log 2>&1 || fail "compare"
grep -q 'Different reference' log && fail "another call counts as another reference"

# Two versions read each their own file, and the file has both.
cp -r r old
cp -r r new
echo 0.002 >old/k.cu
sweep_slow 1 20ms 1
launch 0 1 -o pair.h5 --backend host --kernels old=old --kernels new=new
environment pair.h5 file.new/k.cu
sources pair.h5 both || fail "sources of a pair"
logged 'measure it again: --kernels old=both/old --kernels new=both/new'
diff old/k.cu both/old/k.cu && diff new/k.cu both/new/k.cu || fail "the versions were mixed up"
exit 0
