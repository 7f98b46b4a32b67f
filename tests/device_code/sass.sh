#!/bin/sh
# sass.sh TEST_SASS FAMILY FOLDER SOURCE: a family whose device code or claims changed recently is checked on all architectures,
# others on one: the same compiler makes the same code of the same source.
set -eu
cd "$4"
# The family's source and all headers below kernels/ that it includes.
files=kernels/$2/$2.cu
seen=
while [ "$files" != "$seen" ]; do
    seen=$files
    # shellcheck disable=SC2086 # names of files of this repository have no blanks
    files=$(printf '%s\n' $seen $(sed -n 's|^#include "\(.*\.cuh\)".*|kernels/\1|p' $seen) | sort -u)
done
# shellcheck disable=SC2086
if [ -n "$(sh tests/changed.sh . $files "kernels/$2/$2.claims")" ]; then
    exec "$1" "$2" "$3"
fi
exec "$1" "$2" "$3" sm_90a
