#!/usr/bin/env bash
# artifact.sh WARPSWEEP - the artifact of a release, unpacked in an empty folder, passes its own check without the tree, and the check
# can fail. It is of one of the paper's two files: making and checking both takes twice the 16 s of one. weekly.artifact_debian takes both.
set -euo pipefail
# shellcheck source=tests/find_python.sh
source "$SOURCE/tests/find_python.sh"
python=$(find_python 'h5py, jinja2, pandas, scipy') || exit 77
command -v gnuplot >/dev/null || { echo "no gnuplot: skipped"; exit 77; }
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$SOURCE/packaging/artifact" "$1" "$folder/made" h200-paper.h5 >log 2>&1 || fail "packaging/artifact"
mkdir kit
tar -C kit -xf "$folder/made/warpsweep-$RELEASE-artifact.tar.gz" --strip-components=1
rm -r "$folder/made"
check() { env -i PATH=/usr/bin:/bin HOME=/nonexistent PYTHON="$python" PYTHONPATH="$BUILD/python" kit/check >log 2>&1; }
check || fail "the check of an artifact as it was made"
logged '^verdict: good'
(cd kit && sha256sum --quiet -c MANIFEST) >log 2>&1 || fail "sha256sum does not read MANIFEST"
printf '\1' | dd of=kit/results/h200-paper.h5 bs=1 seek=500000 conv=notrunc status=none
! check || fail "a changed byte passes"
logged 'h200-paper.h5 was changed'
logged '^verdict: not good'
