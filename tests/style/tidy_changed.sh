#!/bin/sh
# tidy_changed.sh PYTHON SOURCE BUILD: tidy.py on the C files that changed recently. weekly.tidy looks at all of them.
set -eu
cd "$2"
files=$(sh tests/changed.sh "$2" 'src/*.c' 'kernels/*.c' | sed 12q) # four seconds each
if [ -z "$files" ]; then
    echo 'skipped: no C file changed recently, or there is no git history; weekly.tidy looks at all'
    exit 77
fi
# shellcheck disable=SC2086 # names without spaces
exec "$1" tests/style/tidy.py "$2" "$3" $files
