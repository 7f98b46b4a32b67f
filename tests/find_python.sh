# shellcheck shell=sh
# Sourced by tests that need a Python with packages, for which $BUILD is the build folder: ./quickstart test installs packages there.
export PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$BUILD/python" PYTHONDONTWRITEBYTECODE=1
find_python() { # find_python MODULES: prints the first Python that has them all; ends the test as skipped where none has
    for python in python3 /usr/bin/python3 /usr/local/bin/python3; do
        if "$python" -c "import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, '$1'.split(', ')))" 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    echo "skipped: no python3 with $1; ./quickstart test installs them in the build folder" >&2
    return 77
}
