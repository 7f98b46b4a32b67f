#!/bin/sh
# python.sh ROOT BUILD - the package is as ruff formats it, and its linter finds nothing (python/pyproject.toml has the rules).
ruff=$2/python/bin/ruff # where ./quickstart test installs the release that this tree is formatted with
[ -x "$ruff" ] || { echo "no $ruff: skipped"; exit 77; }
cd "$1/python" || exit 1
"$ruff" format --no-cache --check src && "$ruff" check --no-cache src
