#!/bin/sh
# Runs SCRIPT.py of this folder with a Python that has h5py and pandas. Skipped (77) where none has.
# usage: python.sh SCRIPT.py ARGUMENT...
set -eu
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
script=$folder/$1
shift
for python in python3 /usr/bin/python3 /usr/local/bin/python3; do
    if "$python" -c 'import h5py, pandas; h5py.__version__, pandas.__version__' 2>/dev/null; then
        exec "$python" "$script" "$@"
    fi
done
echo "skipped: no python3 with h5py and pandas (apt-get install python3-h5py python3-pandas)"
exit 77
