#!/bin/sh
# python_can_fail.sh ROOT BUILD PYTHON - style.python notices each kind of code that it is there for, and nothing else.
[ -x "$2/python/bin/ruff" ] || { echo "no $2/python/bin/ruff: skipped"; exit 77; }
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/python/src" && cp "$1/python/pyproject.toml" "$copy/python" || exit 1
check() { sh "$1/tests/style/python.sh" "$copy" "$2" "$3" >"$copy/log" 2>&1; }

cat >"$copy/python/src/right.py" <<'END'
def right(a: int, b: bool, text: str) -> list[str]:
    shown = [text if b else "", "-" * len(text), " " * a, "sub" * (a - 1), 2 * text]
    return [*shown, *(["one"] if a else [])]
END
check "$@" || { echo "complains about a file that is right:"; cat "$copy/log"; exit 1; }

wrong() { # WHAT, with the file on stdin
    cat >"$copy/python/src/wrong.py"
    if check "$root" "$build" "$python"; then
        echo "does not notice $1"
        exit 1
    fi
}
root=$1 build=$2 python=$3
for expression in "1 if a else 2 if b else 3" "1 if (2 if a else b) else 3" "[2 if b else 3] if a else 1" "'s' * (a == 1)" \
    "'word' * b" "f'{a} ' * bool(b)" "['word'] * (not a)" "a * 'word'" "a * bool(b)"; do
    echo "def wrong(a, b):
    return $expression" | sed "s/'/\"/g" | wrong "$expression"
done
{
    echo "def wrong(a):"
    for number in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '    if a == %s:\n        return %s\n' $number $number; done
} | wrong "a function of 13 paths"
echo "import os" | wrong "what ruff finds"
echo "x = {  }" | wrong "what ruff formats otherwise"
