#!/bin/sh
# A check of the documents, and that it can fail: on a small tree where something is wrong.
# usage: checks.sh SOURCE PYTHON links|environment|promises|numbers|words [CTEST BUILD]
# UPDATE=1 with numbers: the documents are changed, as numbers.py says.
set -eu
source=$1 python=$2 here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
tests=
case $3 in promises | numbers)
    tests=$wrong/listed
    for configuration in soak bench weekly; do "$4" --test-dir "$5" -N -C $configuration; done | sed -n 's/^ *Test *#[0-9]*: //p' >"$tests"
    ;;
esac
[ "$3" = promises ] || tests=${tests:+$5 $tests} # numbers also needs the programs
"$python" "$here/$3.py" "$source" $tests
unset UPDATE PAGES
export KEPT=$wrong/numbers.txt
case $3 in
words)
    seq 1501 >"$wrong/README.md"
    expected='README.md: 1501 words; at most 1500'
    ;;
promises)
    mkdir -p "$wrong/docs/method"
    printf '| guarantee | test |\n|---|---|\n| one | `unit.none` |\n| two | hope |\n| three | `unit.s*` |\n' >"$wrong/docs/method/reliability.md"
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
    cp -r "$source/src" "$source/kernels" "$source/docs" "$source/cmake" "$source/quickstart" "$wrong"
    mkdir -p "$wrong/tests" "$wrong/python/src/warpsweep" && cp -r "$source/tests/fake_backend" "$wrong/tests"
    cp "$source/python/src/warpsweep/options.py" "$wrong/python/src/warpsweep"
    printf 'const char *hidden(void)\n{\n    return getenv("WARPSWEEP_HIDDEN");\n}\n' >"$wrong/src/base/hidden.c"
    printf '\n| variable | effect |\n|---|---|\n| `WARPSWEEP_GONE` | nothing |\n' >>"$wrong/docs/install.md"
    cp "$source/CONTRIBUTING.md" "$wrong"
    expected='no document tells of WARPSWEEP_HIDDEN
nothing reads WARPSWEEP_GONE'
    ;;
numbers)
    mkdir -p "$wrong/docs" "$wrong/tests/docs" "$wrong/analysis/data"
    cat >"$wrong/README.md" <<'END'
On an H200, driver 580.159.04, a copy has 4,300 GB/s and a sum 4200.1 GB/s, at 96 % of 64 points of `64KiB` and `stride=7`.
<!-- from: a -->

| device | rate, GB/s |
|---|---|
| H100 | 3000 |
<!-- measured: H100, yesterday -->

An H100 copies 3000 GB/s.

- An H100 copies 3000 GB/s.
  <!-- measured: H100, commit 1234abc, 2026-11-22 -->
- An H200 copies 3000 GB/s.
  <!-- held by: unit.none -->

A sum.
<!-- from: none -->
END
    printf '[a]\ncat a.txt\n\n[unused]\ncat a.txt\n' >"$wrong/tests/docs/sources.txt"
    printf 'driver 580.159.04: copy 4299.7, sum 4200.4, 64KiB, 95.6 %%\n' >"$wrong/analysis/data/a.txt"
    expected='README.md:1: `7` is neither in the commands nor printed by them
README.md:1: 4200.1 is not printed, or not after the numbers before it; what is printed after these: 4200.4 64 95.6
README.md:4: expected DEVICE, commit HASH, DATE
README.md:9: numbers of a device without a source
README.md:13: there is no test unit.none
README.md:16: tests/docs/sources.txt has no commands of this name: none
tests/docs/sources.txt: no page uses unused'
    ;;
esac
if "$python" "$here/$3.py" "$wrong" $tests >"$wrong/said"; then
    echo "$3.py finds nothing wrong with a wrong tree"
    exit 1
fi
echo "$expected" | while read -r line; do
    grep -qF "$line" "$wrong/said" || { echo "not found: $line"; cat "$wrong/said"; exit 1; }
done
[ "$(wc -l <"$wrong/said")" = "$(echo "$expected" | wc -l)" ] || { cat "$wrong/said"; exit 1; }
if [ "$3" = numbers ]; then # what UPDATE=1 writes, and what it leaves to the reader
    printf 'An H200 copies 4,300 GB/s, adds 4200 GB/s, errs by 1.9e-07 and sums 64 GB/s.\n<!-- from: a -->\n' >"$wrong/README.md"
    printf '[a]\ncat a.txt\n' >"$wrong/tests/docs/sources.txt"
    printf '$ cat a.txt\nGB/s: copy 4299.7, sum 4200.4, 1.9e-07\ngone 64 GB/s\n' >"$KEPT"
    printf 'new line 7\nGB/s: copy 4400.4, sum 4211.2, 2.6e-07\n' >"$wrong/analysis/data/a.txt"
    if UPDATE=1 "$python" "$here/numbers.py" "$wrong" $tests >"$wrong/said"; then
        echo "a number that is gone is not listed"
        exit 1
    fi
    grep -qF 'An H200 copies 4,400 GB/s, adds 4211 GB/s, errs by 2.6e-07 and sums 64 GB/s.' "$wrong/README.md" || { cat "$wrong/README.md" "$wrong/said"; exit 1; }
    grep -qF 'README.md:1: 64 is not printed' "$wrong/said" || { cat "$wrong/said"; exit 1; }
fi
