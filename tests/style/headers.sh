#!/bin/sh
# headers.sh ROOT COMPILER CUDA_INCLUDE [FOLDER]... - every header compiles alone, and all of them together: no name
# means two things.
cd "$1" || exit 1
compiler=$2
cuda=$3
shift 3
flags="-std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Isrc -I."
for folder in "$@"; do
    flags="$flags -isystem $folder"
done
if [ -n "$cuda" ] && [ -d "$cuda" ]; then
    flags="$flags -isystem $cuda"
    headers=$(find src kernels -name '*.h')
else
    headers=$(find src kernels -name '*.h' ! -path '*/worker/cuda/*')
fi
bad=0
for header in $headers; do
    echo "#include \"$header\"" | "$compiler" $flags -x c - || { echo "$header does not compile alone"; bad=1; }
done
for header in $headers; do
    echo "#include \"$header\""
done | "$compiler" $flags -x c - || { echo "the headers do not compile together"; bad=1; }
exit $bad
