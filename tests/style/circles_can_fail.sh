#!/bin/sh
# circles_can_fail.sh PYTHON SCRIPT COMPILER - the check finds a circle of three files, and none where there is none.
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
objects=$root/build/CMakeFiles/part.dir
mkdir -p "$root/src/part" "$objects/src/part"

# file NAME TEXT: a source and its object
file() {
    echo "$2" >"$root/src/part/$1.c"
    "$3" -c "$root/src/part/$1.c" -o "$objects/src/part/$1.c.o" || exit 1
}
file a 'int b(void); int a(void); int a(void) { return b(); }' "$3"
file b 'int c(void); int b(void); int b(void) { return c(); }' "$3"
file c 'int c(void); int c(void) { return 1; }' "$3"
"$1" "$2" "$root" "$root/build" || { echo "complains where nothing is wrong"; exit 1; }
file c 'int a(void); int c(void); int c(void) { return a(); }' "$3"
file d 'int a(void); int d(void); int d(void) { return a(); }' "$3"
said=$("$1" "$2" "$root" "$root/build") && { echo "does not notice a circle"; exit 1; }
echo "$said" | grep -q 'src/part/c.c uses src/part/a.c' || { echo "does not name it: $said"; exit 1; }
! echo "$said" | grep -q 'src/part/d.c' || { echo "d is in no circle: $said"; exit 1; }
rm "$root/src/part/b.c" # its object is left over
"$1" "$2" "$root" "$root/build" || { echo "counts objects of sources that are gone"; exit 1; }
