#!/bin/sh
# Each measured file names a commit of the history, and its code; files that do not are found. Skipped (77) without the history.
# usage: provenance.sh SOURCE PYTHON
set -eu
source=$1 python=$2
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
"$python" "$source/docs/site/provenance.py" "$source" >"$wrong/table" || { status=$?; cat "$wrong/table"; exit $status; }
# Measured on another GPU meanwhile: the tensor job of the H200 beside the paper's.
grep 'h200-tensor.h5.* h200-paper |$' "$wrong/table" >/dev/null || { echo "no file that was measured meanwhile"; exit 1; }
mkdir -p "$wrong/analysis/data"
"$python" - "$source/analysis/data/h100-mma.h5" "$wrong/analysis/data" <<'END'
import shutil, sys, h5py
for name, row, value in (("other-code", b"code.mma_rate", b"0123456789abcdef"), ("no-history", b"commit", b"0123456789ab"),
                         ("dirty", b"commit", b"20bdf5f951fc-dirty")):
    with h5py.File(shutil.copy(sys.argv[1], f"{sys.argv[2]}/{name}.h5"), "r+") as file:
        table = file["environment"][()]
        table["value"][table["name"] == row] = value
        file["environment"][...] = table
END
GIT_DIR=$(git -C "$source" rev-parse --absolute-git-dir)
export GIT_DIR
"$python" "$source/docs/site/provenance.py" "$wrong" >"$wrong/said" && { echo "a commit of no history is not found"; exit 1; }
for text in 'other-code.h5: 20bdf5f951fc has other code of mma_rate' 'dirty.h5: 20bdf5f951fc-dirty had uncommitted changes' \
    'no-history.h5: 0123456789ab is not in the history'; do
    grep -qF "$text" "$wrong/said" || { echo "not found: $text"; cat "$wrong/said"; exit 1; }
done
