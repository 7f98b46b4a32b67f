#!/usr/bin/env bash
# `warpsweep paper`: what is refused, a paper of made-up results against the one in tests/cli/paper, and that docs/results
# has all that it names. cli.pages compiles a paper of the repository's data and opens it in a browser.
source "$(dirname "$0")/setup.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
cd "$D"
status() { # status CODE ARGUMENT...: of `warpsweep paper`; what it says is in `said`
    local want=$1 got=0
    shift
    "$WARPSWEEP" paper "$@" >said 2>&1 || got=$?
    [[ $got == "$want" ]] || fail "paper $*: exit $got, not $want: $(<said)"
    ! compgen -G '*.part-*' >/dev/null || fail "paper $*: leaves $(echo ./*.part-*)"
}

# ---- What is refused, and loses nothing.
status 2 s.h5
grep -q 'paper needs a folder to write: -o DIR' said || fail "$(<said)"
mkdir mine && echo mine >mine/notes.txt
status 2 s.h5 -o mine
grep -q 'mine is not empty' said || fail "$(<said)"
status 2 s.h5 -o mine --overwrite
grep -q 'was not written by this command' said || fail "$(<said)"
[[ $(<mine/notes.txt) == mine ]] || fail "a folder of somebody else was touched"
status 2 s.h5 -o new --pairs s.h5
status 2 nothing.h5 -o new
cp -r "$SOURCE/analysis" broken && echo 'plot nonsense(' >>broken/copy_size.gp
status 3 s.h5 -o new --no-compile --analysis broken
grep -q 'copy_size' said || fail "what is wrong with a figure: $(<said)"
[[ ! -e new ]] || fail "a paper that failed is there"

# ---- One file, without a compiler for it: all but the PDF, and why.
mkdir tools
for tool in gnuplot env; do ln -s "$(command -v $tool)" tools/; done
PATH=$D/tools status 1 s.h5 -o small/paper
grep -q 'no paper.pdf: no pdflatex in PATH: .*apt-get install .*texlive-science' said || fail "$(<said)"
[[ -s small/paper/index.html && -s small/paper/paper.tex && ! -e small/paper/paper.pdf ]] || fail "$(ls small/paper)"
! grep -q 'paper\.pdf' small/paper/index.html || fail "the page links a PDF that is not there"
printf '%s\n' '#!/bin/sh' 'printf "This\n! LaTeX Error: File \`siunitx.sty'"' not found.\n"'" >paper.log' 'exit 1' >tools/pdflatex
chmod +x tools/pdflatex
PATH=$D/tools:$PATH status 1 s.h5 -o small/paper --overwrite
grep -q "siunitx.sty' not found.*apt-get install" said || fail "$(<said)"
status 0 s.h5 -o small/paper --overwrite --no-compile --title 'Two & <three>'
grep -q '<h1>Two &amp; &lt;three&gt;</h1>' small/paper/index.html || fail "no title on the page"
grep -qF 'Two \& $<$three$>$' small/paper/paper.tex || fail "no title of the paper"

# ---- A paper of two made-up devices with two figures, byte by byte. `UPDATE=1` writes the expectation anew: read the diff.
mkdir few
cp -r "$SOURCE"/analysis/{paper,style.gp,palette.gp,copy_stride.gp,copy_size.gp} few/
"$MAKE_RESULTS" t.h5 'SYNTHETIC 2'
status 0 s.h5 t.h5 -o fixture --no-compile --analysis few --pairs "$SOURCE/analysis/pairs.yaml"
mkdir kept
cp -r fixture/paper.tex fixture/references.bib fixture/sections fixture/tables kept
page() { sed -e '/^<svg /,/^<\/svg>/d' -e '/^<style>/,/^<\/style>/d' -e '/^<script>/,/^<\/script>/d' -e "s/release $(<"$SOURCE/VERSION")/release VERSION/" "$1"; }
page fixture/index.html >kept/index.html
mkdir kept/figures
cp fixture/figures/*.caption.* kept/figures
if [[ ${UPDATE:-} ]]; then
    rm -rf "$HERE/paper" && cp -r kept "$HERE/paper"
fi
diff -r "$HERE/paper" kept || fail "the paper has changed; UPDATE=1 writes tests/cli/paper anew"

# ---- docs/results: what its pages name is there, and the data that they were made of.
results=$SOURCE/docs/results
named() { # files that the paper and the page name, from docs/results
    sed -n 's/.*\\input{\([^}]*\)}.*/\1.tex/p' "$results/paper.tex"
    grep -oE '(href|src)="[^"#:]+' "$results/index.html" | sed 's/.*="//'
}
count=0
while read -r file; do
    [[ -e $results/$file || $file == *.pdf ]] || fail "docs/results: $file is not there"
    count=$((count + 1))
done < <(named)
((count > 20)) || fail "docs/results names only $count files"
for file in $(grep -oE '[a-z0-9-]+\.h5' "$results/index.html" | sort -u); do
    [[ -e $SOURCE/analysis/data/$file ]] || fail "docs/results is of $file, which analysis/data lacks"
done
