#!/bin/sh
# names_can_fail.sh SCRIPT - style.names notices two files of one name.
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/src/one" "$copy/kernels/two" && touch "$copy/src/one/one.c" "$copy/src/one/one.h" "$copy/kernels/two/two.cu" || exit 1
sh "$1" "$copy" || { echo "complains about names that occur once"; exit 1; }
touch "$copy/kernels/two/one.c"
! sh "$1" "$copy" >/dev/null || { echo "does not notice that one.c is there twice"; exit 1; }
