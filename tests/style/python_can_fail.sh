#!/bin/sh
# python_can_fail.sh ROOT BUILD PYTHON - style.python notices each kind of code that it is there for, and nothing else.
[ -x "$2/python/bin/ruff" ] || { echo "no $2/python/bin/ruff: skipped"; exit 77; }
root=$1 build=$2 python=$3
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
package=$copy/python/src/warpsweep
mkdir -p "$package/sub" && cp "$root/python/pyproject.toml" "$copy/python" || exit 1
check() { sh "$root/tests/style/python.sh" "$copy" "$build" "$python" >"$copy/log" 2>&1; }

cat >"$copy/python/floors.txt" <<'END'
low: right wrong* sub*
high: above sub.inner
apart: alone
lazily: numpy
by name: above
END
echo "import importlib

from . import right as right
from .sub import inner as inner

module = importlib.import_module" >"$package/above.py"
: >"$package/alone.py"
: >"$package/sub/__init__.py"
echo "from ..right import right as right" >"$package/sub/inner.py"
cat >"$package/right.py" <<'END'
def right(a: int, b: bool, text: str) -> list[str]:
    import numpy as np

    shown = [text if b else "", "-" * len(text), " " * a, "sub" * (a - 1), 2 * text]
    return [*shown, *(["one"] if a else []), str(np.pi)]
END
echo 'x = 1' >"$package/wrong.py" # so that the pattern of floors.txt fits a module
check || { echo "complains about files that are right:"; cat "$copy/log"; exit 1; }

wrong() { # WHAT SAID, with the file on stdin
    cat >"$package/wrong.py"
    if check; then
        echo "does not notice $1"
        exit 1
    fi
    grep -q "$2" "$copy/log" || { echo "$1: says something else:"; cat "$copy/log"; exit 1; }
}
for expression in "1 if a else 2 if b else 3" "1 if (2 if a else b) else 3" "[2 if b else 3] if a else 1"; do
    echo "def wrong(a, b):
    return $expression" | wrong "$expression" "inside another"
done
for expression in "'s' * (a == 1)" "'word' * b" "f'{a} ' * bool(b)" "['word'] * (not a)" "a * 'word'" "a * bool(b)"; do
    echo "def wrong(a, b):
    return $expression" | sed "s/'/\"/g" | wrong "$expression" "multiplied"
done
{
    echo "def wrong(a):"
    for number in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '    if a == %s:\n        return %s\n' $number $number; done
} | wrong "a function of 13 paths" C901
echo "import os" | wrong "what ruff finds" F401
echo "x = {  }" | wrong "what ruff formats otherwise" reformatted
echo "from .above import right as right" | wrong "an upward arrow" "low imports above of high"
echo "from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .sub import inner as inner" | wrong "an upward arrow of types" "low imports sub.inner of high"
echo "from . import alone as alone" | wrong "use of a program of its own" "imports alone of apart"
echo "def wrong():
    from .right import right

    return right" | wrong "an import in a function" "in a function"
echo "def wrong():
    import json

    return json" | wrong "a package in a function" "in a function"
echo "import importlib

right = importlib.import_module(\".right\", __package__)" | wrong "an import by name" "by name"
echo "from .wrong_two import x as x" >"$package/wrong_one.py"
echo "x = 1" >"$package/wrong_two.py"
echo "x = 1" >"$package/wrong.py"
check || { echo "complains about two modules:"; cat "$copy/log"; exit 1; }
echo "from .wrong_one import x as x" >"$package/wrong_two.py"
wrong "a circle" "in a circle: wrong_one, wrong_two" <"$package/right.py"
rm "$package"/wrong_*.py
echo "x = 1" >"$package/nowhere.py"
wrong "a module on no floor" "nowhere: on no floor" <"$package/right.py"
rm "$package/nowhere.py" "$package/alone.py"
wrong "a name of no module" "alone, which is no module" <"$package/right.py"
