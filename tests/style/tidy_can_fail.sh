#!/bin/sh
# tidy_can_fail.sh PYTHON SCRIPT CHECKS - the check finds a mistake, forgets it when it is mended, and sees one that
# comes in by a header although the file was fine before.
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
root=$(cd "$root" && pwd -P) # commands name files as they are
mkdir -p "$root/src/part" "$root/build"
cp "$3" "$root/.clang-tidy"
cat >"$root/build/compile_commands.json" <<END
[{"directory": "$root/build", "file": "$root/src/part/a.c",
  "command": "cc -I$root/src -o a.o -c $root/src/part/a.c"}]
END
echo '#include "part/a.h"
int first(const int *numbers);
int first(const int *numbers) { return numbers == 0 ? PART_NONE(numbers) : numbers[0]; }' >"$root/src/part/a.c"
fine='#define PART_NONE(numbers) 0'
wrong='#define PART_NONE(numbers) numbers[0]' # reads through the null pointer

echo "$fine" >"$root/src/part/a.h"
"$1" "$2" "$root" "$root/build" || { [ $? = 77 ] && exit 77; echo "complains where nothing is wrong"; exit 1; }
echo "$wrong" >"$root/src/part/a.h"
said=$("$1" "$2" "$root" "$root/build") && { echo "does not notice what a header brought in"; exit 1; }
echo "$said" | grep >/dev/null 'NullDereference' || { echo "does not name it: $said"; exit 1; }
"$1" "$2" "$root" "$root/build" >/dev/null && { echo "remembers a file with findings as fine"; exit 1; }
echo "$fine" >"$root/src/part/a.h"
"$1" "$2" "$root" "$root/build" || { echo "complains of what was mended"; exit 1; }
