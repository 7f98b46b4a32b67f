# shellcheck shell=sh
# Sourced by tests, which have set WARPSWEEP. reader COMMAND ARGUMENT...: a command that reads files, without a new Python for each. How
# the program starts a Python is for cli.readers and python.wheel to test.
warm_python=$(dirname "$WARPSWEEP")/warm_python
[ -x "$warm_python" ] || warm_python=
reader() { WARPSWEEP_PYTHON=${warm_python:-${WARPSWEEP_PYTHON-}} "$WARPSWEEP" "$@"; }
