# shellcheck shell=bash disable=SC2034
# Sourced by every test here: $D is a folder that goes away, with results in $D/s.h5.
set -euo pipefail
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
D=$(mktemp -d "${TMPDIR:-/tmp}/warpsweep cli.XXXXXX") # a space, because paths have them
trap 'rm -rf "$D"' EXIT
"$MAKE_RESULTS" "$D/s.h5"
fail() { echo "$*" >&2; exit 1; }
