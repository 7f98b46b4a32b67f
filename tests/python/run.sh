#!/usr/bin/env bash
# The Python package: its tests against the program and the measured files, mypy --strict, and what pip makes of it.
# Skipped (77) where no Python has h5py, pandas and pytest; parts that lack theirs say so.
# usage: run.sh tests|types|wheel
set -euo pipefail
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1
find_python() { # find_python MODULES: the first Python that has them all
    local python
    for python in python3 /usr/bin/python3 /usr/local/bin/python3; do
        "$python" -c "import $1" 2>/dev/null && { echo "$python"; return; }
    done
    echo "skipped: no python3 with $1; ./quickstart test installs them in the build folder" >&2
    return 1
}

case $1 in
tests)
    python=$(find_python 'h5py, pandas, pytest') || exit 77
    PYTHONPATH=$PYTHONPATH:$SOURCE/python/src REPOSITORY=$SOURCE "$python" -m pytest -p no:cacheprovider -rs "$SOURCE/python"
    ;;
types)
    python=$(find_python 'mypy, pandas') || exit 77
    cd "$SOURCE/python"
    "$python" -m mypy --cache-dir "$BUILD/python-types"
    # And it can fail: the same, with a return value that is not what the signature says.
    wrong=$(mktemp -d)
    trap 'rm -rf "$wrong"' EXIT
    cp -rL src pyproject.toml "$wrong"
    printf 'def wrong() -> int:\n    return "text"\n' >>"$wrong/src/warpsweep/_shape.py"
    cd "$wrong"
    ! "$python" -m mypy --cache-dir "$wrong/cache" >said || { echo 'mypy finds nothing wrong with a wrong type'; exit 1; }
    grep -q 'Incompatible return value' said || { cat said; exit 1; }
    ;;
wheel)
    python=$(find_python 'setuptools, pip, setuptools.config.expand') || exit 77
    "$python" -c 'import setuptools; exit(int(setuptools.__version__.split(".")[0]) < 77)' ||
        { echo 'skipped: setuptools is older than 77'; exit 77; }
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp -rL "$SOURCE/python" "$folder/package"
    "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$folder" "$folder/package"
    wheel=$folder/warpsweep-$(<"$SOURCE/VERSION")-py3-none-any.whl
    [[ -f $wheel ]] || { ls "$folder"; exit 1; }
    "$python" -m zipfile -l "$wheel" >"$folder/files"
    grep -q 'warpsweep/py.typed' "$folder/files" && grep -q 'licenses/LICENSE' "$folder/files" || { cat "$folder/files"; exit 1; }
    ;;
esac
