# python.sh WARPSWEEP, with EXAMPLES and SANITIZE in the environment: families in Python, from the first look to a resumed run, and all
# that can be wrong with one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../find_python.sh"
python=$(find_python 'numpy, venv') || exit 77
command -v h5dump >/dev/null || { echo "no h5dump: skipped"; exit 77; }
. "$here/../mpi/common.sh"
export WARPSWEEP_PYTHON=$python
own=$folder/own
mkdir "$own"

"$python" "$here/python_device.py" "$EXAMPLES/../../python/src/warpsweep/_family.py" >log 2>&1 || fail "on a stand-in of a device"

# ---- The example without a worker
cp "$EXAMPLES/softmax.py" "$own"
sed 's/columns: .*, cache: hot/columns: [64, 256], cache: hot/; s/max_time: 200ms/max_time: 20ms/' "$EXAMPLES/job.yaml" >job.yaml
"$WARPSWEEP" kernels softmax --kernels own >log 2>&1 || fail "kernels does not show it"
logged 'softmax - Softmax of each row'
logged 'values: fresh, in_place'
"$WARPSWEEP" check job.yaml --kernels own >log 2>&1 || fail "check"
logged 'softmax: 8 points'

# ---- What is wrong with a file ends the command, with the place
refused() { # refused CODE TEXT, of bad/wrong.py
    "$WARPSWEEP" kernels --kernels bad >log 2>&1
    expect "exit code" $? "$1"
    logged "$2"
}
wrong() { # wrong TEXT SED-SCRIPT
    rm -rf bad
    mkdir bad
    sed "$2" "$own/softmax.py" >bad/wrong.py
    ! cmp -s bad/wrong.py "$own/softmax.py" || fail "$2 changes nothing"
    refused 2 "$1"
}
wrong 'wrong.py:3: SyntaxError: invalid syntax' '3s/.*/def def/'
wrong "wrong.py:2: ModuleNotFoundError: No module named 'numpyy' (the interpreter is .*; WARPSWEEP_PYTHON names another)" '2s/numpy/numpyy/'
wrong "wrong.py: axes: 'rows' is 1.5; expected a list of words without spaces and commas, a whole number, or a size" 's/"rows": 1024/"rows": 1.5/'
wrong "wrong.py: axes: 'dtype' is .*; expected a list of words without spaces and commas" 's/"f64"\]/"f64,f32"]/'
wrong "its axis 'status' is a column of every results file: rename it" 's/"rows"/"status"/'
wrong "wrong.py: axes: 'Rows' cannot be the name of an axis" 's/"rows"/"Rows"/'
wrong "wrong.py: axes: 'dtype': expected some of u8, " 's/"f64"\]/"f65"]/'
wrong 'wrong.py: it has no `axes`' 's/^axes/axis/'
wrong 'wrong.py: axes is 5; expected a dict from names to defaults' 's/^axes.*/axes = 5/'
wrong "wrong.py: axes: 'rows' has the keys default, min; expected some of default, least" 's/"rows": 1024/"rows": {"default": 1, "min": 1}/'
wrong 'wrong.py: it has no function `reference`' 's/def reference/def referenced/'
wrong 'wrong.py: it has no `tolerance`' '/^tolerance/d'
mkdir named && cp "$own/softmax.py" named/copy.py
"$WARPSWEEP" kernels --kernels named >log 2>&1 && fail "a second 'copy' is accepted"
logged "there is already a kernel 'copy'"

# What a point's functions return is checked, too.
returns() { # returns TEXT SED-SCRIPT
    rm -rf bad
    mkdir bad
    sed "$2" "$own/softmax.py" >bad/wrong.py
    ! cmp -s bad/wrong.py "$own/softmax.py" || fail "$2 changes nothing"
    "$WARPSWEEP" check --kernel wrong --kernels bad >log 2>&1
    expect "exit code of check: $1" $? 1
    logged '^wrong: 1 point, 1 failing$'
    logged "^  fails  *1  wrong.py: $1"
}
returns "tolerance is nan; expected a number from 0, or (RELATIVE, ABSOLUTE)" 's/^tolerance.*/tolerance = float("nan")/'
returns "tolerance is '1e-5'; expected a number from 0" 's/^tolerance.*/tolerance = "1e-5"/'
returns "tolerance is (1e-05,); expected a number from 0" 's/^tolerance.*/tolerance = (1e-5,)/'
returns "skip returned True; expected None, or why the point is unsupported" 's/^def skip(p):/&\n    return True/'
returns "work returned {'read': -1}; expected numbers from 0" '$a def work(p): return {"read": -1}'
returns "buffers: 'y' has the shape (512.0, 2); expected whole numbers" 's/"y": ("output", p.dtype, (p.rows, p.columns)/"y": ("output", p.dtype, (p.rows \/ 2, 2)/'
returns "buffers: 'y' has the shape (-1024, -1024); expected at least one element" 's/"y": ("output", p.dtype, (p.rows, p.columns)/"y": ("output", p.dtype, (-p.rows, -p.columns)/'

# check finds what a point's functions raise.
cp "$here/faulty.py" "$own"
"$WARPSWEEP" check --kernel faulty --set fault=none,skip --kernels own >log 2>&1
expect "exit code of check" $? 1
logged "^  fails  *1  faulty.py:[0-9]*: KeyError: 'n'"
"$WARPSWEEP" check --kernel faulty --kernels own >log 2>&1 || fail "check of what is right"
# An interpreter that ends is started again.
sed 's/raise KeyError("n")/os._exit(9)/' "$here/faulty.py" >own/faulty.py
"$WARPSWEEP" check --kernel faulty --set fault=none,skip,raise --kernels own >log 2>&1
expect "exit code of check" $? 1
logged '^  fails  *1  the Python interpreter exited with status 9'
expect "failing points" "$(grep -c '^  fails ' log)" 1

# ---- Interpreters
mkdir bad/none && mv bad/wrong.py bad/none
cp "$own/softmax.py" bad
WARPSWEEP_PYTHON=/nonexistent refused 3 'cannot execute /nonexistent: .*families in Python need an interpreter'
"$WARPSWEEP" kernels >log 2>&1 || fail "without a family in Python no interpreter is needed"
"$python" -m venv --without-pip bare || fail "no venv"
PYTHONPATH= WARPSWEEP_PYTHON=$folder/bare/bin/python3 refused 2 "No module named 'numpy' (the interpreter is .*/bare/bin/python3"

if [ "$SANITIZE" = ON ]; then # an interpreter without sanitizers cannot load a library with them
    launch 3 1 -o no.h5 --backend host --kernels own
    logged 'cannot find libwarpsweep-worker.so, .*a build with sanitizers has none'
    exit 0
fi

# ---- The example, on two ranks
launch 0 2 -o host.h5 --backend host --kernels own
expect "ok" "$(points host.h5 --where status=ok)" 8
expect "clock" "$(points host.h5 --where timer=clock)" 8
rows host.h5 verified,time_median --where columns=256 |
    awk '$1 != 262144 || !($2 > 0) { bad = 1 } END { exit bad || NR != 4 }' || fail "not all elements were verified"
expect "useful bytes" "$(rows host.h5 bytes_read,bytes_written --where columns=256 --where dtype=f64 --where variant=fresh)" \
    "$(printf '2097152\t2097152')"
launch 0 1 -o fake.h5 --backend fake --kernels own
expect "fake" "$(points fake.h5 --where status=ok)" 8
id=$(rows host.h5 id --where columns=64 | sed -n 1p)
reader show "$id" host.h5 >log 2>&1 || fail "show"
logged 'softmax variant='
reader table host.h5 --top 10 -f text >log 2>&1 || fail "table --top"
logged 'in_place'
reader compare host.h5 host.h5 >log 2>&1 || fail "compare"
logged '^softmax'
reader compare host.h5 --by variant >log 2>&1 || fail "compare --by"
environment host.h5 module.numpy

# A resumed run measures what is new, with the same file only.
sed -i 's/columns: \[64, 256\]/columns: [64, 256, 512]/' job.yaml
launch 0 2 -o host.h5 --backend host --kernels own --resume
expect "resumed" "$(points host.h5 --where status=ok)" 12
expect "measured before" "$(points host.h5 --where run=1)" 8
cp -r own edited
echo '# changed' >>edited/softmax.py
launch 3 1 -o host.h5 --backend host --kernels edited --resume
logged 'code of softmax'

# Two versions in pairs: the second does what the first does, twice.
sed -i 's/^def call(p, x, y):/&\n    once(p, x, y)\n    once(p, x, y)\n\ndef once(p, x, y):/' edited/softmax.py
launch 0 1 -o pairs.h5 --backend host --kernels old=own --kernels new=edited
reader compare pairs.h5 >log 2>&1 || fail "compare of pairs"
awk '/^softmax/ { twice = $3 > 1.3 } END { exit !twice }' log || fail "twice the work is not slower"

# PyTorch's tensors, where it is installed.
if "$python" -c 'import torch' 2>/dev/null; then
    cp job.yaml numpy.yaml
    sed 's/variant: .*/variant: eager, rows: 32, columns: 64}/' "$EXAMPLES/../torch/job.yaml" >job.yaml
    launch 0 1 -o torch.h5 --backend host --kernels "$EXAMPLES/../torch"
    expect "torch" "$(points torch.h5 --where status=ok)" 1
    cp numpy.yaml job.yaml
fi

# ---- What only launches need is imported by workers alone: here modules that note it.
mkdir -p modules/torch deferred
cat >modules/torch/__init__.py <<'MODULE'
import os
with open(os.environ["IMPORTS"], "a") as file:
    file.write("torch\n")
has = True
def jit(function): return function
def size(): return 4
MODULE
sed '/^try:/,/^ *library = np/c library = np' "$EXAMPLES/softmax.py" >deferred/softmax.py
sed -i -e '2a import torch\nfrom torch import jit' -e 's/^def call/@torch.jit\n&/' -e '$a row_wise = ["x", "y"]' deferred/softmax.py
found=${PYTHONPATH-}
export IMPORTS=$folder/imports PYTHONPATH=$folder/modules${found:+:$found}
imports() { # imports WHAT COUNT: how often torch was imported since the last time
    touch "$IMPORTS"
    expect "imports of $1" "$(wc -l <"$IMPORTS")" "$2"
    rm "$IMPORTS"
}
sed -i 's/columns: \[64, 256, 512\]/columns: [64, 300]/' job.yaml
"$WARPSWEEP" check job.yaml --kernels deferred >log 2>&1 || fail "check of a family that imports torch"
logged 'softmax: 8 points'
imports check 0
launch 0 1 -o deferred.h5 --backend host --kernels deferred
expect "deferred" "$(points deferred.h5 --where status=ok)" 8
imports run 1
# What torch.compile imports when it is first called, a worker that waits imports ahead: here none calls it.
mkdir modules/torch/_inductor
touch modules/torch/_inductor/__init__.py
echo 'import os; print("once", file=open(os.environ["IMPORTS"] + ".ahead", "a"))' >modules/torch/_inductor/compile_fx.py
cp -r deferred compiled_later
sed -i 's/^def call/# torch.compile would be here\n&/' compiled_later/softmax.py
launch 0 1 -o ahead.h5 --backend host --kernels compiled_later --set timing.replicates=3
expect "imports ahead, by all but the first" "$(wc -l <"$IMPORTS.ahead")" 2
rm "$IMPORTS" ahead.h5
# What a description or a reference needs, it gets.
needs() { # needs IMPORTS-OF-A-RUN SED-SCRIPT
    rm -rf needs
    cp -r deferred needs
    sed -i "$2" needs/softmax.py
    ! cmp -s deferred/softmax.py needs/softmax.py || fail "$2 changes nothing"
    launch 0 1 -o needs.h5 --backend host --kernels needs
    expect "ok with $2" "$(points needs.h5 --where status=ok)" 8
    rows needs.h5 id,earlier_attempt >>log # a point that is retried imports again
    imports "a run with $2" "$1"
    rm needs.h5
}
needs 3 's/^tolerance = .*/tolerance = 1e-5 if torch.has else 0/'
needs 3 's/^tolerance = .*/tolerance = getattr(torch, "none", 1e-5)/'
needs 3 's/^def buffers(p):/&\n    assert torch.size() == 4/'
needs 2 's/^def reference(p, x):/&\n    assert torch.size() == 4/'
needs 3 's/^def reference/@torch.jit\n&/'
export PYTHONPATH=$found

# Rows that do not depend on each other may be computed in pieces; where they do, the reference is wrong.
sed 's/axis=1/axis=0/;$a PIECE = 1' deferred/softmax.py >own/softmax.py
sed -i '/torch/d' own/softmax.py
launch 1 1 -o pieces.h5 --backend host --kernels own --set rows=4096
expect "columns cut into rows" "$(points pieces.h5 --where status=failed --where columns=300)" 4
sed -i 's/^row_wise.*/row_wise = ["x"]/' own/softmax.py
"$WARPSWEEP" check job.yaml --kernels own >log 2>&1 && fail "row_wise without the output"
logged "row_wise is \['x'\]; expected the names of all outputs"
cp "$EXAMPLES/softmax.py" own

# ---- What goes wrong in a point costs this point
cp "$here/faulty.py" "$own"
job '{cache: hot, max_time: 20ms, timeout: 4s, replicates: 1}' <<'JOB'
  - kernel: faulty
    axes: {fault: [none, element, raise, exit, abort, hang, prepare, skip, buffers, reference, shape], n: [1000, 1001]}
JOB
launch 1 2 -o faulty.h5 --backend host --kernels own
expect "ok" "$(rows faulty.h5 fault,n --where status=ok)" "$(printf 'none\t1000')"
expect "unsupported" "$(rows faulty.h5 message --where status=unsupported | sort | uniq -c | sed 's/^ *//')" "10 n is larger than 1000"
says() { # says FAULT STATUS TEXT
    rows faulty.h5 status,message --where fault=$1 --where n=1000 >line
    grep -q -e "^$2.*$3" line || fail "fault=$1: $(cat line); expected $2: $3"
}
line_of() {
    grep -n "# $1" "$own/faulty.py" | cut -d: -f1
}
says element failed "output 'y'\[17\]: expected .* got 0; 1 of 1000"
says raise failed "faulty.py:$(line_of raise): ValueError: operands could not be broadcast"
says exit failed "faulty.py:$(line_of exit): SystemExit: 3"
says abort crashed 'signal 6 (Aborted)'
says hang timed_out 'no result within 4 s'
says prepare failed "faulty.py:$(line_of prepare): RuntimeError: not ready"
says skip failed "faulty.py:$(line_of skip): KeyError: 'n'"
says buffers failed "faulty.py: buffers: 'x' is .'input', 'f33', 1000.; expected"
says reference failed "faulty.py:$(line_of reference): ZeroDivisionError: in the reference"
says shape failed "faulty.py: reference returned the shape (500,) for 'y'; expected (1000,)"
logged 'Traceback (most recent call last)'
logged 'Fatal Python error: Aborted'
logged "in call"

# ---- An active environment is used, with its modules.
"$python" -m venv --without-pip --system-site-packages active || fail "no venv"
echo '__version__ = "12.34"' >"$(echo active/lib/python3*/site-packages)/only_here.py"
sed -i '1a import only_here' bad/softmax.py
rm -rf bad/none
printf '%s\n' 'counters: none' 'timing: {cache: hot, max_time: 20ms, replicates: 1}' 'sweeps: [{kernel: softmax, axes: {rows: 16, columns: 16}}]' >job.yaml
unset WARPSWEEP_PYTHON
PATH=$folder/active/bin:$PATH
launch 0 2 -o venv.h5 --backend host --kernels bad
environment venv.h5 module.only_here '12\.34'

# ---- A python3 of the PATH without NumPy gives way to the system's, as it does for commands that read files.
if PYTHONPATH= /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    mkdir lacks
    printf '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n' >lacks/python3
    chmod +x lacks/python3
    before=$PATH packages=$PYTHONPATH PATH=$folder/lacks:$PATH PYTHONPATH=
    launch 0 2 -o system.h5 --backend host --kernels "$own" # whose softmax the job names
    PATH=$before PYTHONPATH=$packages
fi

# ---- A reference that needs more memory than this process may use: another machine may have it, so each run asks again.
mkdir halves
cat >halves/half.py <<'FAMILY'
"""f16 arrays, whose reference is in f64"""
axes = {"variant": ["a"], "n": 1024}
tolerance = 1e-2
def buffers(p): return {"x": ("input", "f16", (p.n,)), "y": ("output", "f16", (p.n,))}
def call(p, x, y): y[:] = x + x
def reference(p, x): return x + x
FAMILY
many=$(awk '$1 == "MemAvailable:" { printf "%.0f", $2 * 1024 / 10 }' /proc/meminfo) # 32 bytes each
printf '%s\n' 'counters: none' 'timing: {max_time: 20ms, replicates: 1}' "sweeps: [{kernel: half, axes: {n: [1024, $many]}}]" >job.yaml
for resume in '' --resume; do
    launch 0 1 -o half.h5 --backend host --kernels halves $resume
    expect "statuses" "$(rows half.h5 status | sort | tr '\n' ' ')" 'ok unavailable '
    rows half.h5 message --where status=unavailable >log
    logged 'its reference needs .* GiB of host memory; this process may use .* GiB'
done
