#!/usr/bin/env bash
# The site of the documents is built, warnings are errors, and it has the pages it should have; a broken link stops it.
# Skipped (77) where Python lacks Sphinx, MyST and Furo, or there is no gnuplot.
# usage: site.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
export BUILD=$build
# shellcheck source=../find_python.sh
source "$source/tests/find_python.sh"
python=$(find_python 'sphinx, myst_parser, furo')
command -v gnuplot >/dev/null || { echo 'skipped: no gnuplot'; exit 77; }
"$python" "$source/docs/site/build.py" "$source" "$build" "$build/site"
cd "$build/site/html"
fail() { echo "$*" >&2; exit 1; }
for page in index tutorial faq job-file results-file python measurement model clusters memory-system cheat-sheet data peers CONTRIBUTING; do
    [[ -s $page.html ]] || fail "no page $page"
done
"$build/bin/warpsweep" kernels | sed '/^$/,$d' | while read -r kernel _; do
    [[ -s families/$kernel.html ]] || fail "no page of the family $kernel"
    grep -q 'What it compiles to' "families/$kernel.html" || fail "$kernel has no claims"
    # A family that the file lacks is an unknown name.
    rows=$({ "$build/bin/warpsweep" table "$source/analysis/data/h100-paper.h5" -k "$kernel" -w status=ok -c id 2>/dev/null || true; } | wc -l)
    ((rows < 2)) || grep -q 'The five points nearest' "families/$kernel.html" || fail "$kernel has no measured points"
done
grep -q 'copy_stride.svg' families/copy.html || fail "copy has no figure"
"$build/bin/warpsweep" help | sed -n '/^Commands:/,/^$/p' | sed '1d;/^$/d' | while read -r name _; do
    [[ -s commands/$name.html ]] || fail "no page of the command $name"
done

# A document with a broken link is refused.
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
cp -r "$source/docs" "$wrong"
for name in analysis kernels jobs src VERSION CHANGELOG.md CONTRIBUTING.md examples tests slurm profiles README.md python; do
    ln -s "$source/$name" "$wrong/$name"
done
printf '\n[nowhere](nowhere.md)\n' >>"$wrong/docs/faq.md"
"$python" "$wrong/docs/site/build.py" "$wrong" "$build" "$wrong/site" >"$wrong/said" 2>&1 && fail "a broken link passes"
grep -q 'docs/faq.md: links to nowhere.md' "$wrong/said" || fail "$(<"$wrong/said")"
