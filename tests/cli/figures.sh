#!/usr/bin/env bash
# Every figure that the repository's data has, in one and two columns, of one, two and four devices. As SVG: no texts that
# overlap or leave the page, units on every axis, no empty panel. As PDF, and in a two-column document of LaTeX: words
# where pdftotext finds them; drawings of EPS where Ghostscript does. As PNG: the page of the SVG. And that the checks can
# fail. The layout is the same in every format: formats other than SVG are drawn for two of the six combinations, for all
# with ALL_FORMATS=1 (weekly).
source "$(dirname "$0")/setup.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
data=$SOURCE/analysis/data
all=${ALL_FORMATS:-}
cp "$data/h200-paper.h5" "$D/synthetic-a.h5" # files merged under another name stand for more devices
cp "$data/h100-paper.h5" "$D/synthetic-b.h5"

draw() { # draw FOLDER WIDTH FORMAT FILE...
    local folder=$D/$1 width=$2 format=$3 caption=in
    shift 3
    [[ $format != *latex ]] || caption=beside
    "$WARPSWEEP" plot "$@" -v -o "$folder" -f "$format" --width "$width" --caption $caption >"$D/said" 2>"$D/errors" || fail "plot: $(cat "$D/said" "$D/errors")"
    [[ ! -s $D/errors ]] || fail "gnuplot says: $(cat "$D/errors")"
    # What is skipped has a reason of one line.
    ! grep '^skipped' "$D/said" | awk 'length > 160' | grep . || fail "long reasons"
    (($(grep -vc '^skipped' "$D/said") >= 25)) || fail "only $(grep -vc '^skipped' "$D/said") figures: $(<"$D/said")"
}
for width in 3.4in 7in; do
    draw "one $width" "$width" svg "$data/h200-paper.h5"
    draw "two $width" "$width" svg "$data"/h{2,1}00-paper.h5
    draw "four $width" "$width" svg "$data"/h{2,1}00-paper.h5 "$D"/synthetic-{a,b}.h5
    [[ $all || $width == 3.4in ]] || continue
    "$WARPSWEEP" plot "$data"/h{2,1}00-copy.h5 -o "$D/normalised $width" -f svg --width "$width" --normalise >/dev/null
    "$WARPSWEEP" plot "$data"/h{1,2}00-copy.h5 -o "$D/compared $width" -f svg --width "$width" --heat stride,dtype \
        -F speedup -F heat >/dev/null || fail "two files compared"
    "$WARPSWEEP" plot "$data"/h100-copy{,-again}.h5 -o "$D/compared $width" -f svg --width "$width" -F aa >/dev/null ||
        fail "two runs of one device compared"
    "$WARPSWEEP" plot "$data"/h200-runs/*.h5 "$data"/h200-held-out/unit[67]-*.h5 "$data"/h200-copy*.h5 -o "$D/history $width" -f svg \
        --width "$width" -F history >/dev/null || fail "a history"
    "$WARPSWEEP" plot "$data"/h{1,2}00-copy.h5 -o "$D/samples $width" -f svg --width "$width" -F ecdf -F violin -w kernel=copy \
        -w variant=load -w stride=1 -w vector=1,4 -w dtype=f32,f64 -w offset=0 -w size=1GiB -w cache=cold -w block=256 \
        -w items=1 -w hint=default >"$D/said" || fail "samples of chosen points: $(<"$D/said")"
done
"$CHECK_FIGURE" "$D"/{one,two,four,normalised,compared,samples,history}\ */*.svg || fail "figures that cannot go into a paper"

# The other formats have the same layout: each is looked at where its texts and pages are.
[[ -x $(command -v pdftotext) ]] && words=yes || words=no
drawings() { # drawings FOLDER: its EPS, without texts, as PDF, which pdflatex takes; and that each draws, within its page
    local file pages=("$D/$1"/*.eps)
    for file in "${pages[@]}"; do
        gs -q -dSAFER -dEPSCrop -sDEVICE=pdfwrite -o "${file%.eps}.pdf" "$file" || fail "gs on $file"
    done
    paste <(grep -ah '^%%BoundingBox' "${pages[@]}") <(gs -q -dSAFER -dBATCH -dNOPAUSE -sDEVICE=bbox "${pages[@]}" 2>&1 | grep '^%%BoundingBox') |
        awk '{ print; if (NF < 10 || $7 < $2 || $8 < $3 || $9 > $4 || $10 > $5 || $9 - $7 < ($4 - $2) / 2) bad = 1 } END { exit bad || NR == 0 }' \
            >"$D/said" || fail "$1: drawings that leave their page, or draw nothing: $(<"$D/said")"
}
boxes() { # boxes FOLDER: what pdftotext says of its PDFs
    for file in "$D/$1"/*.pdf; do
        pdftotext -bbox "$file" "${file%.pdf}.html" || fail "pdftotext on $file"
    done
    "$CHECK_WORDS" "$D/$1"/*.html >"$D/said" || fail "words that cannot go into a paper: $(<"$D/said")"
}
document() { # document FOLDER ENVIRONMENT: all of its figures in a two-column document
    {
        printf '%s\n' '\documentclass[twocolumn]{article}' '\usepackage[letterpaper,margin=0.7in,columnsep=0.3in]{geometry}' \
            '\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}' '\usepackage{textcomp,graphicx,xcolor}'
        # pdflatex takes EPS converted by Ghostscript; without it the drawings are left out, the texts are LaTeX's.
        [[ $1 != *epslatex* || -x $(command -v gs) ]] || echo '\renewcommand{\includegraphics}[2][]{}'
        echo '\begin{document}'
        for file in "$D/$1"/*.caption.tex; do
            name=$(basename "$file" .caption.tex)
            printf '\\begin{%s}\\input{%s}\\caption[\\protect\\input{%s.short}]{\\input{%s.caption}}\\end{%s}\\clearpage\n' "$2" "$name" "$name" "$name" "$2"
        done
        echo '\end{document}'
    } >"$D/$1/document.tex"
    (cd "$D/$1" && pdflatex -interaction=nonstopmode -halt-on-error document.tex >said) || fail "pdflatex: $(tail -20 "$D/$1/said")"
    ! grep -a 'Overfull' "$D/$1/document.log" || fail "$1 does not fit its column"
    pdftotext -bbox "$D/$1/document.pdf" "$D/$1/document.html"
    "$CHECK_WORDS" "$D/$1/document.html" >"$D/said" || fail "words that overlap in a document: $(<"$D/said")"
}
page_of_png() { # "WIDTH HEIGHT" in pixels, from its header
    od -An -j16 -N8 -t u1 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4, (($5 * 256 + $6) * 256 + $7) * 256 + $8 }'
}
for width in 3.4in 7in; do
    for devices in one two four; do
        [[ $all || "$devices $width" == 'one 3.4in' || "$devices $width" == 'four 7in' ]] || continue
        files=("$data/h200-paper.h5")
        [[ $devices == one ]] || files+=("$data/h100-paper.h5")
        [[ $devices != four ]] || files+=("$D"/synthetic-{a,b}.h5)
        draw "$devices $width png" "$width" png "${files[@]}"
        for svg in "$D/$devices $width"/*.svg; do
            read -r wide high < <(page_of_png "$D/$devices $width png/$(basename "$svg" .svg).png")
            sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' "$svg" | sed -n 1p |
                awk -v wide="$wide" -v high="$high" '{ exit !((wide - $1 * 3.125) ^ 2 < 16 && (high - $2 * 3.125) ^ 2 < 16) }' ||
                fail "$svg has another page than the png of $wide x $high"
        done
        [[ $words == yes ]] || continue
        draw "$devices $width pdf" "$width" pdf "${files[@]}"
        boxes "$devices $width pdf"
        [[ -x $(command -v pdflatex) ]] || continue
        [[ $width == 3.4in ]] && environment=figure || environment='figure*'
        draw "$devices $width epslatex" "$width" epslatex "${files[@]}"
        [[ ! -x $(command -v gs) ]] || drawings "$devices $width epslatex"
        document "$devices $width epslatex" "$environment"
    done
done
if [[ $words == yes && -x $(command -v pdflatex) ]]; then
    draw "two 3.4in cairolatex" 3.4in cairolatex "$data"/h{2,1}00-paper.h5
    document "two 3.4in cairolatex" figure
else
    echo "not looked at, without pdftotext or pdflatex: words of PDF and LaTeX"
fi
[[ -x $(command -v gs) ]] || echo "not looked at, without Ghostscript: drawings of epslatex"

# The check can fail: a text moved onto another, off the page, a label without its unit, an empty panel.
good="$D/one 3.4in/copy_size.svg"
bad() { # bad WHAT SED-SCRIPT
    sed "$2" "$good" >"$D/bad.svg"
    ! cmp -s "$good" "$D/bad.svg" || fail "'$1' changes nothing"
    ! "$CHECK_FIGURE" "$D/bad.svg" >"$D/said" || fail "the check does not see $1"
    grep -q "$1" "$D/said" || fail "the check says of $1: $(<"$D/said")"
}
bad 'leaves the page' '/text-anchor="end"/s/translate([0-9.]*,/translate(3,/'
bad 'overlap' '/text-anchor="end"/s/translate([0-9.]*,[0-9.]*/translate(60,60/'
bad 'lies on what is drawn' "s/translate([0-9.]*,[0-9.]*)\\(.*text-anchor=\"start\"\\)/translate(120,60)\\1/"
bad 'the y axis has no label' 's/(GB\/s)<\/text>/<\/text>/'
bad 'is empty' "/<use xlink:href='#gpPt[0-9]*' transform/d;s/<path stroke='rgb( *0, 114, 178)'.*//;s/<path stroke='rgb( *86, 180, 233)'.*//"
if [[ $words == yes ]]; then
    sed 's/xMin="[0-9.]*" yMin="[0-9.]*" xMax="[0-9.]*" yMax="[0-9.]*"/xMin="9" yMin="9" xMax="40" yMax="18"/' \
        "$D/one 3.4in pdf/copy_size.html" >"$D/bad.html"
    ! "$CHECK_WORDS" "$D/bad.html" >"$D/said" || fail "the check of words does not see that they overlap"
    sed 's/xMax="[0-9.]*"/xMax="1000"/' "$D/one 3.4in pdf/copy_size.html" >"$D/bad.html"
    "$CHECK_WORDS" "$D/bad.html" >"$D/said" || true
    grep -q 'leaves the page' "$D/said" || fail "the check of words does not see one that leaves the page"
fi
if [[ -d "$D/one 3.4in epslatex" && -x $(command -v gs) ]]; then
    mkdir "$D/bad"
    sed 's/^%%BoundingBox: 50 50 .*/%%BoundingBox: 50 50 150 150/' "$D/one 3.4in epslatex/copy_size.eps" >"$D/bad/copy_size.eps"
    ! (drawings bad) 2>/dev/null || fail "the check of drawings does not see one that leaves its page"
fi
