#!/bin/sh
# tidy.sh ROOT BUILD - clang-tidy 14, by .clang-tidy, finds nothing. Other releases know other checks.
for tool in clang-tidy-14 clang-tidy none; do
    "$tool" --version 2>/dev/null | grep -q 'version 14\.' && break
done
[ "$tool" = none ] && { echo "no clang-tidy 14: skipped"; exit 77; }
cd "$1" || exit 1
[ -f "$2/compile_commands.json" ] || { echo "no compile_commands.json in $2"; exit 1; }
found=$(mktemp) || exit 1
trap 'rm -f "$found"' EXIT
# Only files that this build compiles: without a CUDA Toolkit there is no command for src/worker/cuda_*.c.
find src kernels -name '*.c' | while read -r file; do
    grep -q "\"file\": \".*/$file\"" "$2/compile_commands.json" && echo "$file"
done | xargs -P2 -n4 "$tool" -p "$2" --quiet >"$found" 2>/dev/null
failed=$?
cat "$found"
[ $failed -eq 0 ] && [ ! -s "$found" ]
