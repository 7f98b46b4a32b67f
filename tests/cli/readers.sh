#!/usr/bin/env bash
# Commands that read results files are started from the Python package: with their arguments, its folder, and this program.
source "$(dirname "$0")/setup.sh"
cd "$D"
cat >python <<'END'
#!/bin/sh
echo "path $PYTHONPATH"
echo "program $WARPSWEEP_PROGRAM"
shift 3
for word; do echo "<$word>"; done
exit "${CODE:-0}"
END
chmod +x python
status=0
WARPSWEEP_PYTHON=$D/python PYTHONPATH=/mine "$WARPSWEEP" pivot 's 1.h5' --rows '' >out || status=$?
[[ $status == 0 ]] || fail "the exit code: $status"
[[ $(sed -n 1p out) == "path $(realpath "$SOURCE")/python/src:/mine" ]] || fail "the package's folder: $(<out)"
[[ $(sed -n 2p out) == "program $(realpath "$WARPSWEEP")" ]] || fail "the program: $(<out)"
[[ $(sed -n '3,$p' out) == $'<pivot>\n<s 1.h5>\n<--rows>\n<>' ]] || fail "the arguments: $(<out)"
WARPSWEEP_PYTHON=$D/python "$WARPSWEEP" help pivot >out || true
[[ $(sed -n '3,$p' out) == $'<pivot>\n<--help>' ]] || fail "help: $(<out)"

# In all lists of commands.
"$WARPSWEEP" --help | has '^  pivot ' || fail "the overview"
[[ $("$WARPSWEEP" pivto 2>&1 || true) == *"did you mean 'pivot'?"* ]] || fail "a misspelt name"

# An exit code of 1 is a verdict: what the command says, as 10. An interpreter that ends otherwise is an error.
ends() { # ends CODE EXPECTED TEXT
    status=0
    CODE=$1 WARPSWEEP_PYTHON=$D/python "$WARPSWEEP" judge s.h5 >out 2>errors || status=$?
    [[ $status == "$2" && $(<errors) == "${3:-}" ]] || fail "Python ends with $1: exit code $status: $(<errors)"
}
ends 10 1
ends 2 2
ends 3 3
named='; WARPSWEEP_PYTHON names another Python'
for code in 1 7 120; do ends $code 3 "warpsweep: judge: $D/python exited with status $code$named"; done
printf '#!/bin/sh\nkill -KILL $$\n' >killed
chmod +x killed
status=0
WARPSWEEP_PYTHON=$D/killed "$WARPSWEEP" judge s.h5 2>out || status=$?
[[ $status == 3 && $(<out) == "warpsweep: judge: $D/killed was killed by signal 9 (Killed)$named" ]] || fail "killed: $status: $(<out)"

# Signals reach it, and end the program as they end it; it dies with the program.
printf '#!/bin/sh\necho $$ >%q\nexec sleep 100\n' "$D/pid" >sleeps
chmod +x sleeps
for signal in TERM HUP KILL; do
    rm -f pid
    WARPSWEEP_PYTHON=$D/sleeps "$WARPSWEEP" judge s.h5 2>out &
    for ((i = 0; i < 100; i++)); do [[ -s pid ]] && break || sleep 0.1; done
    kill -$signal $!
    status=0
    wait $! 2>"$D/job" || status=$?
    [[ $status == $((128 + $(kill -l $signal))) && ! -s out ]] || fail "SIG$signal: exit code $status: $(<out)"
    for ((i = 0; i < 100; i++)); do kill -0 "$(<pid)" 2>/dev/null && sleep 0.1 || break; done
    ! kill -0 "$(<pid)" 2>/dev/null || fail "SIG$signal left Python"
done

# Without Python, one message.
status=0
WARPSWEEP_PYTHON=/nowhere/python3 "$WARPSWEEP" pivot s.h5 2>out || status=$?
[[ $status == 3 ]] || fail "without Python: exit code $status"
[[ $(<out) == "warpsweep: pivot needs Python: cannot execute /nowhere/python3: No such file or directory; WARPSWEEP_PYTHON names another one" ]] ||
    fail "without Python: $(<out)"

# Pythons that cannot run the package: in their place that of the system. Named by the user, each is one line and exit code 3.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
unset WARPSWEEP_PYTHON # ./quickstart test names one
WARPSWEEP_PYTHON=/usr/bin/python3 "$WARPSWEEP" pivot s.h5 >expected 2>out || { echo "skipped: /usr/bin/python3 cannot read files: $(<out)"; exit 77; }
mkdir old unfit lacks
printf '#!/bin/sh\necho "SyntaxError: invalid syntax" >&2\nexit 1\n' >old/python3
printf '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n' >lacks/python3
chmod +x old/python3 lacks/python3
mkdir here # an empty part of the path is not the working folder
echo 'raise SystemExit("not the module re")' >here/re.py
(cd here && PYTHONPATH=: WARPSWEEP_PYTHON=/usr/bin/python3 "$WARPSWEEP" pivot ../s.h5 2>/dev/null) | diff expected - || fail "re.py of the working folder"
for folder in old lacks; do
    PYTHONPATH='' PATH=$D/$folder:/usr/bin:/bin "$WARPSWEEP" pivot s.h5 2>/dev/null | diff expected - || fail "$folder: other numbers"
done
PYTHONHOME=/nonexistent PATH=/usr/bin:/bin "$WARPSWEEP" pivot s.h5 2>/dev/null | diff expected - || fail "PYTHONHOME"
printf 'raise ValueError("numpy.dtype size changed")\n' >unfit/h5py.py
printf 'import sys\nsys.version_info = (3, 8, 10, "final", 0)\n' >unfit/sitecustomize.py
refused() { # refused TEXT SETTING...
    status=0
    env "${@:2}" "$WARPSWEEP" compare s.h5 s.h5 >out 2>errors || status=$?
    [[ $status == 3 && ! -s out && $(wc -l <errors) == 1 ]] || fail "${*:2}: exit code $status: $(<errors)"
    has -- "$1" <errors || fail "${*:2}: $(<errors)"
}
refused 'warpsweep needs Python 3.9 or newer, and .* is 3.8' "PYTHONPATH=$D/unfit" PATH=/usr/bin:/bin
refused 'warpsweep needs Python 3.9 or newer, and .* is 3.8' "PYTHONPATH=$D/unfit" WARPSWEEP_PYTHON=/usr/bin/python3
rm unfit/sitecustomize.py
refused "package h5py is broken (numpy.dtype size changed): apt-get install python3-h5py" "PYTHONPATH=$D/unfit" PATH=/usr/bin:/bin
refused "needs the Python package h5py: apt-get install python3-h5py" PYTHONPATH= "WARPSWEEP_PYTHON=$D/lacks/python3"

# Files of the working folder are not taken for modules.
mkdir planted
for module in runpy json argparse numpy warpsweep; do echo 'print("planted")' >planted/$module.py; done
(cd planted && "$WARPSWEEP" pivot --help 2>&1 || true) >out
! has planted <out || fail "a module of the working folder was imported: $(<out)"
