#!/bin/sh
# A check of the documents, and that it can fail: on a small tree where something is wrong.
# usage: checks.sh SOURCE PYTHON links|environment|promises [CTEST BUILD]
set -eu
source=$1 python=$2 here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
tests=
if [ "$3" = promises ]; then
    tests=$wrong/tests
    for configuration in soak bench weekly; do "$4" --test-dir "$5" -N -C $configuration; done | sed -n 's/^ *Test *#[0-9]*: //p' >"$tests"
fi
"$python" "$here/$3.py" "$source" $tests
case $3 in
promises)
    mkdir "$wrong/docs"
    printf '| guarantee | test |\n|---|---|\n| one | `unit.none` |\n| two | hope |\n| three | `unit.s*` |\n' >"$wrong/docs/reliability.md"
    expected="unit.none: there is no such test
nothing holds 'two'"
    ;;
links)
    mkdir "$wrong/docs"
    printf '# A page\n\n[good](docs/other.md#a-heading) [bad](docs/none.md) [bad](docs/other.md#no-heading)\n' >"$wrong/README.md"
    printf '## A heading\n' >"$wrong/docs/other.md"
    expected='docs/none.md: there is no such file
docs/other.md#no-heading: there is no such heading'
    ;;
environment)
    cp -r "$source/src" "$source/kernels" "$source/docs" "$source/quickstart" "$wrong"
    printf 'const char *hidden(void)\n{\n    return getenv("WARPSWEEP_HIDDEN");\n}\n' >"$wrong/src/base/hidden.c"
    printf '\n| `WARPSWEEP_GONE` | nothing |\n' >>"$wrong/docs/environment.md"
    expected='does not tell of WARPSWEEP_HIDDEN
nothing reads WARPSWEEP_GONE'
    ;;
esac
if "$python" "$here/$3.py" "$wrong" $tests >"$wrong/said"; then
    echo "$3.py finds nothing wrong with a wrong tree"
    exit 1
fi
echo "$expected" | while read -r line; do
    grep -qF "$line" "$wrong/said" || { echo "not found: $line"; cat "$wrong/said"; exit 1; }
done
[ "$(wc -l <"$wrong/said")" = 2 ] || { cat "$wrong/said"; exit 1; }
