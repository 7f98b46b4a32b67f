#!/bin/sh
# conditionals_can_fail.sh PYTHON SCRIPT - style.conditionals notices a conditional expression inside another one, and nothing else.
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/src" || exit 1
check() { "$1" "$2" "$copy" >"$copy/log"; }

cat >"$copy/src/right.c" <<'END'
/* what ? is : or ? in : comments */
#define ONE(a) (a ? "? a : b ? c" : "")
#define TWO(a) ((a) ? '?' : ':')
int right(int a, int b)
{
    int both[] = {a ? 1 : 2, b ? 1 : 2};
    if (a ? b : 0) {
        b = a ? 1 : 2;
    } a = b ? 1 : 2;
    return a ? both[b ? 1 : 0] : right(b ? a : 0, 0);
}
END
check "$1" "$2" || { echo "complains about a file that is right:"; cat "$copy/log"; exit 1; }
for expression in "a ? 1 : b ? 2 : 3" "a ? (b ? 1 : 2) : 3" "(a ? b : 0) ? 1 : 2" "a ? 1 : (int)(b ? 2 : 3)" "a ? '?' : b ? 1 : 2"; do
    echo "int wrong(int a, int b) { return $expression; }" >"$copy/src/wrong.c"
    if check "$1" "$2"; then
        echo "does not notice: $expression"
        exit 1
    fi
done
