# shellcheck shell=bash disable=SC2034
# Sourced by every test here: $D is a folder that goes away, with results in $D/s.h5.
set -euo pipefail
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# In a sanitizer build Open MPI leaks: leaks alone do not change the exit code, and rows.sh looks for those of ours.
export LSAN_OPTIONS="exitcode=0:suppressions=$SOURCE/tests/mpi/mpi.supp:print_suppressions=0"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
D=$(mktemp -d "${TMPDIR:-/tmp}/warpsweep cli.XXXXXX") # a space, because paths have them
trap 'rm -rf "$D"' EXIT
export WARPSWEEP_CACHE=$D/cache # how long points took in other tests decides no order here
"$MAKE_RESULTS" "$D/s.h5"
# shellcheck source=../find_python.sh
source "$SOURCE/tests/find_python.sh"
# shellcheck source=../warm/reader.sh
source "$SOURCE/tests/warm/reader.sh"
fail() { echo "$*" >&2; exit 1; }
# To the end: grep -q leaves a pipe as soon as it knows, and pipefail makes that the failure of who still writes.
has() { grep "$@" >/dev/null; }
