#!/bin/sh
# names.sh ROOT - no two source files below src and kernels have the same name, so a name in a message or a document is one file.
cd "$1" || exit 1
twice=$(find src kernels -type f -name '*.[ch]*' | sed 's,.*/,,' | sort | uniq -d)
[ -z "$twice" ] || { echo "names of several files: $twice"; exit 1; }
