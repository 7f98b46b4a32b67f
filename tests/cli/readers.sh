#!/usr/bin/env bash
# Commands that read results files are started from the Python package: with their arguments, its folder, and this program.
source "$(dirname "$0")/setup.sh"
cd "$D"
cat >python <<'END'
#!/bin/sh
echo "path $PYTHONPATH"
echo "program $WARPSWEEP_PROGRAM"
shift 2
for word; do echo "<$word>"; done
exit 7
END
chmod +x python
status=0
WARPSWEEP_PYTHON=$D/python PYTHONPATH=/mine "$WARPSWEEP" pivot 's 1.h5' --rows '' >out || status=$?
[[ $status == 7 ]] || fail "the exit code: $status"
[[ $(sed -n 1p out) == "path $(realpath "$SOURCE")/python/src:/mine" ]] || fail "the package's folder: $(<out)"
[[ $(sed -n 2p out) == "program $(realpath "$WARPSWEEP")" ]] || fail "the program: $(<out)"
[[ $(sed -n '3,$p' out) == $'<pivot>\n<s 1.h5>\n<--rows>\n<>' ]] || fail "the arguments: $(<out)"
WARPSWEEP_PYTHON=$D/python "$WARPSWEEP" help pivot >out || true
[[ $(sed -n '3,$p' out) == $'<pivot>\n<--help>' ]] || fail "help: $(<out)"

# In all lists of commands.
"$WARPSWEEP" --help | has '^  pivot ' || fail "the overview"
[[ $("$WARPSWEEP" pivto 2>&1 || true) == *"did you mean 'pivot'?"* ]] || fail "a misspelt name"

# Without Python, one message.
status=0
WARPSWEEP_PYTHON=/nowhere/python3 "$WARPSWEEP" pivot s.h5 2>out || status=$?
[[ $status == 3 ]] || fail "without Python: exit code $status"
[[ $(<out) == "warpsweep: pivot needs Python 3.9 or newer, and /nowhere/python3 cannot be started: install it with "* ]] || fail "without Python: $(<out)"

# Files of the working folder are not taken for modules.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
mkdir planted
for module in runpy json argparse numpy warpsweep; do echo 'print("planted")' >planted/$module.py; done
(cd planted && "$WARPSWEEP" pivot --help 2>&1 || true) >out
! has planted <out || fail "a module of the working folder was imported: $(<out)"
