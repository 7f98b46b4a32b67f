#!/bin/sh
# recent.sh PROGRAM FAMILY FOLDER SOURCE ALWAYS [LESS]: run PROGRAM FAMILY FOLDER for a family that changed recently. Others are skipped:
# the same compiler makes the same code of the same source, and all are checked in full weekly. Family ALWAYS runs, with argument LESS.
set -eu
cd "$4"
# The source, with all headers below kernels/ that it includes.
files=kernels/$2/$2.cu
seen=
while [ "$files" != "$seen" ]; do
    seen=$files
    # shellcheck disable=SC2046,SC2086 # names of files here have no blanks
    files=$(printf '%s\n' $seen $(sed -n 's|^#include "\(.*\.cuh\)".*|kernels/\1|p' $seen) | sort -u)
done
# shellcheck disable=SC2086
if [ -n "$(sh tests/changed.sh . $files "kernels/$2")" ]; then
    exec "$1" "$2" "$3"
fi
[ "$2" = "$5" ] || { echo "skipped: $2 has not changed in the last 20 commits"; exit 77; }
exec "$1" "$2" "$3" ${6:+"$6"}
