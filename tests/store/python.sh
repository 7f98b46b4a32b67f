#!/bin/sh
# Opens a results file as its users do: h5py, pandas and h5dump. Skipped (77) where no Python has h5py and pandas.
# usage: python.sh STORE_TOOL
set -eu
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
for python in python3 /usr/bin/python3 /usr/local/bin/python3; do
    if "$python" -c 'import h5py, pandas' 2>/dev/null; then
        exec "$python" "$folder/open_results.py" "$1"
    fi
done
echo "skipped: no python3 with h5py and pandas (apt-get install python3-h5py python3-pandas)"
exit 77
