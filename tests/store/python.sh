#!/bin/sh
# Runs SCRIPT.py of this folder with a Python that has the packages of the readers. Skipped (77) where none has.
# usage: python.sh SCRIPT.py ARGUMENT...
set -eu
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
script=$folder/$1
shift
. "$folder/../find_python.sh"
python=$(find_python 'h5py, jinja2, pandas, scipy')
warm=$BUILD/bin/warm_python
[ ! -x "$warm" ] || export WARPSWEEP_PYTHON="$warm"
exec "$python" "$script" "$@"
