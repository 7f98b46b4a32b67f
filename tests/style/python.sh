#!/bin/sh
# python.sh ROOT BUILD PYTHON - the package is as ruff formats it, its linter finds nothing (python/pyproject.toml has the rules),
# and neither do plain_python.py and floors.py.
ruff=$2/python/bin/ruff # where ./quickstart test installs the release that this tree is formatted with
here=$(dirname "$0")
"$3" "$here/plain_python.py" "$1" && "$3" "$here/floors.py" "$1" || exit 1
[ -x "$ruff" ] || { echo "no $ruff: skipped"; exit 77; }
cd "$1/python" || exit 1
"$ruff" format --no-cache --check src && "$ruff" check --no-cache src
