#!/usr/bin/env bash
# A paper of the repository's own data: LaTeX that compiles without a complaint, and a page in a real browser.
source "$(dirname "$0")/setup.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
cd "$D"
data=$SOURCE/analysis/data
status() { # status CODE ARGUMENT...: of `warpsweep paper`; what it says is in `said`
    local want=$1 got=0
    shift
    "$WARPSWEEP" paper "$@" >said 2>&1 || got=$?
    [[ $got == "$want" ]] || fail "paper $*: exit $got, not $want: $(<said)"
    ! compgen -G '*.part-*' >/dev/null || fail "paper $*: leaves $(echo ./*.part-*)"
}

# ---- Two devices, with all there is.
compiles=no
if command -v pdflatex >/dev/null && command -v kpsewhich >/dev/null && kpsewhich siunitx.sty lmodern.sty booktabs.sty >/dev/null; then
    compiles=yes
fi
SECONDS=0
if [[ $compiles == yes ]]; then
    status 0 "$data"/h{1,2}00-paper.h5 -o paper --full
    echo "two files to a compiled paper: $SECONDS s"
else
    status 0 "$data"/h{1,2}00-paper.h5 -o paper --full --no-compile
fi
figures=$(compgen -G 'paper/figures/*.svg' | wc -l)
((figures >= 30)) || fail "only $figures figures"
for svg in paper/figures/*.svg; do
    for of in "${svg%.svg}.pdf" "${svg%.svg}.caption.tex" "${svg%.svg}.caption.txt"; do
        [[ -s $of ]] || fail "no $of"
    done
    grep -q "figures/$(basename "${svg%.svg}").pdf" paper/paper.tex || fail "$svg is not in the paper"
    grep -q "<figure id=\"$(basename "${svg%.svg}")\"" paper/index.html || fail "$svg is not on the page"
    [[ $(grep -c '<text>' "$svg") -ge 8 ]] || fail "$svg has few texts"
done
! grep -nE '(src|href)="(https?:)?//|@import|url\([^#]' paper/index.html || fail "the page loads something from the network"
for table in paper/tables/*.tex; do
    grep -q "input{tables/$(basename "${table%.tex}")}" paper/paper.tex || fail "$table is not in the paper"
done
# Numbers of the tables are those of `table` and `compare`.
copies=$("$WARPSWEEP" compare "$data"/h{1,2}00-paper.h5 | awk '$1 == "copy" && NF > 9 {printf "%.2f", 1 / $3}')
grep -q "^copy & $copies(" paper/tables/speedups.tex || fail "the speed-up of copies is $copies: $(grep '^copy ' paper/tables/speedups.tex)"

if [[ $compiles == yes ]]; then
    # TeX's own complaints: compiled once more, because the command cleans up.
    cp -r paper again
    (cd again && for _ in 1 2; do pdflatex -interaction=nonstopmode -halt-on-error -draftmode paper.tex >log; done) || fail "$(tail -20 again/log)"
    ! grep -E 'LaTeX Warning: .*(undefined|too large)|Missing character|multiply defined' again/log || fail "TeX complains"
    awk '/^Overfull .[hv]box/ && match($0, /[0-9.]+pt/) && substr($0, RSTART, RLENGTH - 2) + 0 > 5 {print; bad = 1}
         END {exit bad}' again/log || fail "something is too wide"
    ((figures == $(grep '^File: figures/' again/paper.log | sort -u | wc -l))) || fail "figures are missing in the PDF"

    # Without --full six pages, with a figure for each of the sentences.
    sed '/^\\clearpage$/,/^\\end{document}$/d' paper/paper.tex >again/paper.tex
    echo '\end{document}' >>again/paper.tex
    (cd again && for _ in 1 2; do pdflatex -interaction=nonstopmode -halt-on-error paper.tex >log; done) || fail "$(tail -20 again/log)"
    pages=$(sed -n 's/^Output written.*(\([0-9]*\) page.*/\1/p' again/log)
    shown=$(grep '^File: figures/' again/paper.log | sort -u | wc -l)
    ((pages >= 3 && pages <= 6 && shown >= 5 && shown <= 8)) || fail "the short paper: $pages pages, $shown figures"
else
    echo "not compiled: no TeX Live (apt-get install texlive-latex-recommended texlive-science lmodern)"
fi

# ---- In a real browser.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $browser ]] || ! "$browser" --version >/dev/null 2>&1; then
    echo "the page was not opened: no Chromium (apt-get install chromium)"
    exit 0
fi
for device in h100 h200; do "$WARPSWEEP" table "$data/$device-paper.h5" -f csv -c all >"$device.csv"; done
drive() { # drive PAGE TABLE...: what the browser says of it
    timeout 400 python3 "$HERE/page_drive.py" "$browser" "$1" "$HERE/page_check.js" "${@:2}" 2>&1 || true
}
said=$(drive paper/index.html h100.csv h200.csv)
[[ $said == "figures $figures, points "*", all right" ]] || fail "the page: ${said:-no answer}"
# What was read despite a wrong checksum is marked in the download, too.
sed 's|<pre id="points-csv" hidden>|<pre id="points-csv" hidden data-mark="Not verified: bad.h5.">|' paper/index.html >paper/marked.html
said=$(drive paper/marked.html h100.csv h200.csv)
[[ $said == *", all right" ]] || fail "the marked page: ${said:-no answer}"
# The check can fail: without the page's own script nothing sorts; with another one, the policy complains.
sed '/^<script>$/,/^<\/script>$/d' paper/index.html >paper/silent.html
said=$(drive paper/silent.html)
[[ $said == *'no button to sort with'* ]] || fail "the check does not see that nothing sorts: ${said:-no answer}"
sed 's|^</body>|<script>alert(1)</script></body>|' paper/index.html >paper/foreign.html
said=$(drive paper/foreign.html)
[[ $said == *'the console: '*'Content Security Policy'* ]] || fail "the check does not see a blocked script: ${said:-no answer}"
