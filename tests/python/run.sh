#!/usr/bin/env bash
# The Python package: its tests against the program and the measured files, mypy --strict, what pip makes of it, and the notebook.
# Skipped (77) where no Python has h5py, pandas and pytest; parts that lack theirs say so.
# usage: run.sh tests FILE | weekly|types|wheel|notebook
set -euo pipefail
# shellcheck source=../find_python.sh
source "$SOURCE/tests/find_python.sh"

case $1 in
tests | weekly) # those of every change in one file, or all that are marked `weekly`
    python=$(find_python 'h5py, jinja2, pandas, pytest, scipy')
    marked=weekly files=$SOURCE/python/tests
    [[ $1 == weekly ]] || marked='not weekly' files=$files/$2
    warm=$BUILD/bin/warm_python
    [[ -x $warm && $1 == tests && $python == "$(command -v python3)" ]] && python=$warm
    export PYTHONPATH=$SOURCE/python/src:$PYTHONPATH OPENBLAS_NUM_THREADS=1 PYTHONUTF8=1 # as the program sets them
    REPOSITORY=$SOURCE "$python" -m pytest -p no:cacheprovider -rs -m "$marked" -c "$SOURCE/python/pyproject.toml" "$files"
    ;;
types)
    python=$(find_python 'mypy, pandas')
    cd "$SOURCE/python"
    "$python" -m mypy --cache-dir "$BUILD/python-types"
    # And it can fail: the same, with a return value that is not what the signature says.
    wrong=$(mktemp -d)
    trap 'rm -rf "$wrong"' EXIT
    cp -rL src pyproject.toml "$wrong"
    printf 'def wrong() -> int:\n    return "text"\n' >>"$wrong/src/warpsweep/errors.py"
    cd "$wrong"
    ! "$python" -m mypy --cache-dir "$wrong/cache" >said || { echo 'mypy finds nothing wrong with a wrong type'; exit 1; }
    grep -q 'Incompatible return value' said || { cat said; exit 1; }
    ;;
wheel)
    python=$(find_python 'setuptools, pip')
    "$python" -c 'import setuptools; exit(int(setuptools.__version__.split(".")[0]) < 77)' ||
        { echo 'skipped: setuptools is older than 77'; exit 77; }
    folder=$(mktemp -d)
    trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
    # From a clone that nobody may write; root may, so what is there is compared, too.
    mkdir "$folder/clone" "$folder/made"
    tar -C "$SOURCE" --exclude=__pycache__ --exclude='*.egg-info' -c analysis profiles python VERSION LICENSE src/core | tar -C "$folder/clone" -x
    chmod -R a-w "$folder/clone"
    chmod a+rwx "$folder" "$folder/made"
    (cd "$folder/clone" && find . | sort) >"$folder/before"
    # Without the network: nothing has to be fetched.
    "$python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation -w "$folder/made" "$folder/clone/python"
    (cd "$folder/clone" && find . | sort) | diff "$folder/before" - || { echo 'the build writes into the clone'; exit 1; }
    wheel=$folder/made/warpsweep-$(<"$SOURCE/VERSION")-py3-none-any.whl
    [[ -f $wheel ]] || { ls "$folder/made"; exit 1; }
    "$python" -m zipfile -l "$wheel" >"$folder/files"
    grep -q 'warpsweep/py.typed' "$folder/files" && grep -q 'licenses/LICENSE' "$folder/files" || { cat "$folder/files"; exit 1; }
    for part in reports/summary.py derived/families.py paper/render.py; do # sub-packages and their data
        grep -q " *warpsweep/$part " "$folder/files" || { echo "no $part"; cat "$folder/files"; exit 1; }
    done
    ! grep -qE 'in_a_copy|tests/' "$folder/files" || { cat "$folder/files"; exit 1; }
    # What is installed says which release it is.
    "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-index --no-deps --target "$folder/made/site" "$wheel"
    "$python" -c 'import h5py, pandas' 2>/dev/null || { echo 'not imported: no h5py and pandas'; exit 0; }
    said=$(cd "$folder" && PYTHONPATH=$folder/made/site:$PYTHONPATH "$python" -c 'import importlib.metadata, warpsweep
print(importlib.metadata.version("warpsweep"), warpsweep.__file__)')
    [[ $said == "$(<"$SOURCE/VERSION") $folder/made/site/warpsweep/__init__.py" ]] || { echo "installed: $said"; exit 1; }
    # It reads files as the tree does, and as it does everywhere else.
    if command -v gnuplot >/dev/null; then
        "$python" "$SOURCE/tests/python/everywhere.py" "$folder/made/site"
    fi
    ;;
notebook)
    python=$(find_python 'h5py, pandas, nbclient, nbformat, ipykernel')
    command -v gnuplot >/dev/null || { echo 'skipped: no gnuplot'; exit 77; }
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    # Of the folder's files alone, as a user has them.
    mkdir -p "$folder/examples" "$folder/analysis"
    cp -r "$SOURCE/examples/notebook" "$folder/examples"
    ln -s "$SOURCE/analysis/data" "$folder/analysis/data"
    export HOME=$folder PYTHONPATH=$PYTHONPATH:$SOURCE/python/src PATH=$(dirname "$WARPSWEEP"):$PATH
    "$python" "$SOURCE/tests/python/notebook.py" "$folder/examples/notebook/results.ipynb"
    # And it can fail: the same with a figure that there is not.
    sed -i 's/copy_stride/cpoy_stride/' "$folder/examples/notebook/results.ipynb"
    ! "$python" "$SOURCE/tests/python/notebook.py" "$folder/examples/notebook/results.ipynb" 2>"$folder/said" ||
        { echo 'a notebook that fails passes'; exit 1; }
    grep -q 'cpoy_stride' "$folder/said" || { cat "$folder/said"; exit 1; }
    ;;
esac
