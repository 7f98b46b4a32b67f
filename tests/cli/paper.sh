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

# ---- --overwrite removes what the manifest lists, unchanged. A few figures are enough.
few="--no-compile --analysis few --pairs $SOURCE/analysis/pairs.yaml"
mkdir few
cp -r "$SOURCE"/analysis/{paper,style.gp,palette.gp,copy_stride.gp,copy_size.gp} few/
mkdir thesis
echo '@book{mine}' >thesis/thesis.bib
echo 'my own' >thesis/paper.tex
status 2 s.h5 -o thesis --overwrite $few
grep -q 'it has no .warpsweep-manifest' said || fail "$(<said)"
[[ $(<thesis/paper.tex) == 'my own' && -s thesis/thesis.bib ]] || fail "a thesis was touched"
(umask 077 && status 0 s.h5 -o private $few) || exit 1
[[ $(stat -c %a private private/paper.tex) == $'700\n600' ]] || fail "umask 077: $(stat -c '%a %n' private private/paper.tex)"
status 0 s.h5 -o small/kept $few
rm small/kept/tables/best.tex # a listed file that is gone is made anew
mkdir small/kept/mine
echo '@book{mine}' >small/kept/thesis.bib
echo mine >small/kept/mine/x.txt
ln -s nowhere small/kept/figures/mine.pdf
ln -s kept small/link
status 0 s.h5 -o small/link --overwrite $few --title Second
grep -q Second small/kept/paper.tex || fail "the paper is not the new one"
[[ -L small/link && -s small/kept/tables/best.tex && $(<small/kept/thesis.bib) == '@book{mine}' &&
    $(<small/kept/mine/x.txt) == mine && -L small/kept/figures/mine.pdf ]] || fail "the user's files: $(find small/kept)"
! compgen -G 'small/*.part-*' >/dev/null || fail "left: $(echo small/*)"
echo '% mine' >>small/kept/tables/best.tex
(cd small/kept && find . -type f -exec sha256sum {} +) >before
status 2 s.h5 -o small/kept --overwrite $few
grep -q 'changed ones: tables/best.tex; move or delete' said || fail "$(<said)"
(cd small/kept && sha256sum --quiet -c "$D/before") || fail "a refused folder was changed"
# Changed while the paper is made, by gnuplot here: refused, too.
rm small/kept/tables/best.tex
mkdir slow scratch
printf '%s\n' '#!/bin/sh' "echo late >'$D/small/kept/paper.tex'" "exec $(command -v gnuplot) \"\$@\"" >slow/gnuplot
chmod +x slow/gnuplot
PATH=$D/slow:$PATH status 2 s.h5 -o small/kept --overwrite $few
grep -q 'paper.tex; move or delete' said || fail "$(<said)"
[[ $(<small/kept/paper.tex) == late ]] || fail "a file changed meanwhile was lost"
! compgen -G 'small/*.part-*' >/dev/null || fail "left: $(echo small/*)"

# ---- What a killed command leaves, the next one removes; not what a running one has.
printf '%s\n' '#!/bin/sh' "echo >'$D/drawing'" 'exec sleep 60' >slow/gnuplot
killed() { # killed COMMAND...: its folder is there while it draws
    rm -f drawing
    PATH=$D/slow:$PATH TMPDIR=$D/scratch "$WARPSWEEP" "$@" >said 2>&1 &
    local process=$!
    for ((i = 0; i < 300; i++)); do [[ -e drawing ]] && break; sleep 0.1; done
    [[ -e drawing ]] || fail "$*: does not draw: $(<said)"
    TMPDIR=$D/scratch "$WARPSWEEP" plot s.h5 -o beside --figure copy_size >said 2>&1 || fail "$(<said)"
    compgen -G 'scratch/warpsweep-plot.*' >/dev/null || fail "$*: another plot removed the folder of a running one"
    kill -9 $process
    wait $process 2>/dev/null || true
}
killed paper s.h5 -o killed $few
compgen -G 'killed.part-*' >/dev/null || fail "a killed paper leaves no folder: the test tests nothing"
killed plot s.h5 -o drawn --figure copy_size
compgen -G 'scratch/warpsweep-plot.*' >/dev/null || fail "a killed plot leaves no folder: the test tests nothing"
for ((i = 0; i < 100; i++)); do # children of the killed paper end with it
    TMPDIR=$D/scratch "$WARPSWEEP" plot s.h5 -o drawn --figure copy_size >said 2>&1 || fail "$(<said)"
    compgen -G 'scratch/*' >/dev/null || break
    sleep 0.1
done
! compgen -G 'scratch/*' >/dev/null || fail "left: $(echo scratch/*)"
status 0 s.h5 -o killed $few
# Killed after the new folder was put there, and between the two renames of a file system that cannot swap.
echo mine >killed/thesis.bib
cp -rl killed killed.part-AbCdEf
status 0 s.h5 -o killed --overwrite $few
mv killed killed.part-AbCdEf.old
status 0 s.h5 -o killed --overwrite $few
[[ $(<killed/thesis.bib) == mine ]] || fail "a killed replacement lost a file: $(ls killed)"

# ---- A paper of two made-up devices with two figures, byte by byte. `UPDATE=1` writes the expectation anew: read the diff.
"$MAKE_RESULTS" t.h5 'SYNTHETIC 2'
status 0 s.h5 t.h5 -o fixture --no-compile --analysis few --pairs "$SOURCE/analysis/pairs.yaml"
mkdir kept
cp -r fixture/paper.tex fixture/references.bib fixture/sections fixture/tables kept
page() { sed -e '/^<svg /,/^<\/svg>/d' -e '/^<style>/,/^<\/style>/d' -e '/^<script>/,/^<\/script>/d' -e "s/release $(<"$SOURCE/VERSION")/release VERSION/" -e "s/'sha256-[^']*'/'sha256-HASH'/" "$1"; }
page fixture/index.html >kept/index.html
mkdir kept/figures
cp fixture/figures/*.caption.* kept/figures
if [[ ${UPDATE:-} ]]; then
    rm -rf "$HERE/paper" && cp -r kept "$HERE/paper"
fi
diff -r "$HERE/paper" kept || fail "the paper has changed; UPDATE=1 writes tests/cli/paper anew"

# ---- The access model is compared at the points that `report --model` has: not at canaries again.
status 0 "$SOURCE/analysis/data/h100-paper.h5" -o real $few
both=$({ "$WARPSWEEP" report "$SOURCE/analysis/data/h100-paper.h5" --model || true; } | awk -F'|' '$2 ~ /(sectors|wavefronts).*per.*request/ {n += $3} END {print n}')
grep -q "in $both of $both cases" real/sections/findings.tex || fail "not $both cases: $(grep cases real/sections/findings.tex)"

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
for file in $(sed 's/ -o [^ ]*\.h5//g' "$results/index.html" | grep -oE '[a-z0-9-]+\.h5' | sort -u); do # but what the run called it
    [[ -e $SOURCE/analysis/data/$file ]] || fail "docs/results is of $file, which analysis/data lacks"
done
