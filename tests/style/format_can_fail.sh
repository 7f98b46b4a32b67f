#!/bin/sh
# format_can_fail.sh SCRIPT CLANG_FORMAT_FILE - style.format notices code that is not formatted, and a comment beyond 110 columns.
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
script=$(readlink -f "$1") || exit 1
mkdir "$copy/src" "$copy/kernels" "$copy/tests" "$copy/bench" "$copy/examples" && cp "$2" "$copy" || exit 1
check() { sh "$script" "$copy" >"$copy/log" 2>&1; }

cat >"$copy/src/right.c" <<'END'
/* A comment of one line. */
int right; /* and one behind code */
END
check
case $? in
0) ;;
77) cat "$copy/log" && exit 77 ;;
*) echo "complains about a file that is right:"; cat "$copy/log"; exit 1 ;;
esac
words="each of these words is here only to make the comment longer than a line of code may be, which is 110 columns"
for line in "int  wrong;" "/* $words */" "// $words" "int wrong; /* $words */"; do
    echo "$line" >"$copy/src/wrong.c"
    if check; then
        echo "does not notice: $line"
        exit 1
    fi
done
