#!/usr/bin/env bash
# Every figure in every format, from one file and from two, with no word from gnuplot.
source "$(dirname "$0")/setup.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
figures=$(cd "$SOURCE/analysis" && grep -l '^#: title' ./*.gp | sed 's|./||; s|\.gp$||')
[[ $(wc -w <<<"$figures") -ge 4 ]] || fail "only these figures: $figures"
"$MAKE_RESULTS" "$D/t.h5" 'SYNTHETIC_1 50% & {a}'
"$MAKE_RESULTS" "$D/u.h5" 'SYNTHETIC 2'

draw() { # draw FOLDER FORMAT FILE...
    local folder=$D/$1 format=$2
    shift 2
    "$WARPSWEEP" plot "$@" -v -o "$folder" -f "$format" >"$D/said" 2>"$D/errors" || fail "plot: $(cat "$D/errors")"
    [[ ! -s $D/errors ]] || fail "gnuplot says: $(cat "$D/errors")"
    for figure in $figures; do
        if grep -q "^skipped $figure:" "$D/said"; then # made for other data; these there are data for
            [[ ! $figure =~ ^copy_(offset|size|stride|vector)$ ]] || fail "$(grep "^skipped $figure:" "$D/said")"
            continue
        fi
        case $format in
        pdf) head -c 5 "$folder/$figure.pdf" | has '%PDF-' ;;
        png) head -c 8 "$folder/$figure.png" | has -a PNG ;;
        svg) grep -q '</svg>' "$folder/$figure.svg" && ! grep -q 'nan' "$folder/$figure.svg" ;;
        epslatex) grep -q 'includegraphics' "$folder/$figure.tex" && grep -q '%%Trailer' "$folder/$figure.eps" ;;
        esac || fail "$figure.$format is not what it should be"
    done
}
for format in pdf png svg epslatex; do
    draw "one $format" "$format" "$D/s.h5"
    draw "two $format" "$format" "$D/s.h5" "$D/t.h5" "$D/u.h5"
done

# What the figures have to say: what was measured on, when, with what; the values pinned; the peak.
svg="$D/one svg/copy_stride.svg"
for text in 'Bandwidth (GB/s)' 'DRAM read and write 600 GB/s<' 'L2 900 GB/s<' u8 f64; do
    grep -qF "$text" "$svg" || fail "$svg does not say '$text'"
done
caption=${svg%.svg}.caption
for text in 'SYNTHETIC_1 50% & {a}' 'fake back end' '2026-01-02' 'commit synthetic' 'size 256MiB' 'cache cold' 'file s.h5' \
    'measured roofs: L2 900 GB/s, DRAM read and write 600 GB/s' '95 % intervals of the median time'; do
    grep -qF "$text" "$caption.txt" || fail "$caption.txt does not say '$text': $(<"$caption.txt")"
done
grep -qF 'SYNTHETIC\_1 50\% \& \{a\}' "$caption.tex" || fail "the caption is not escaped for LaTeX"
! grep -qF 'L2 900' "$D/one svg/copy_size.svg" || fail "a roof that none of the points has"
# Where the caption goes, which points there are, and how wide the page is.
"$WARPSWEEP" plot "$D/s.h5" -o "$D/in" -f svg --figure copy_stride --caption in --width 7in --where stride=1,2,4 --data >/dev/null
grep -qF 'fake back end' "$D/in/copy_stride.svg" || fail "--caption in: none"
[[ ! -e $D/in/copy_stride.caption.txt ]] || fail "--caption in: files beside it"
grep -qF 'viewBox="0 0 672 ' "$D/in/copy_stride.svg" || fail "--width 7in: $(grep -o 'viewBox="[^"]*"' "$D/in/copy_stride.svg")"
[[ $(awk -F'\t' '$1 == "x" { for (i = 1; i <= NF; i++) if ($i == "stride") column = i; next } NF { print $column }' \
    "$D/in/copy_stride.tsv" | sort -n | uniq | xargs) == '1 2 4' ]] || fail "--where leaves other strides"
"$WARPSWEEP" plot "$D/s.h5" -o "$D/none" -f svg --figure copy_stride --caption none >/dev/null
[[ $(ls "$D/none") == copy_stride.svg ]] || fail "--caption none: $(ls "$D/none")"
status=0
"$WARPSWEEP" plot "$D/s.h5" -o "$D/in" --width 3ft >/dev/null 2>"$D/errors" || status=$?
[[ $status == 2 && $(<"$D/errors") == *'expected a length'* ]] || fail "--width 3ft: exit $status, $(<"$D/errors")"
status=0
"$WARPSWEEP" plot "$D/not there.h5" -o "$D/no folder" >/dev/null 2>"$D/errors" || status=$?
[[ $status == 2 && ! -e "$D/no folder" ]] || fail "a file that is not there: exit $status, $(ls -d "$D/no folder" "$D/errors")"
status=0
"$WARPSWEEP" plot "$D/s.h5" -o "$D/in" --where strid=1 >/dev/null 2>"$D/errors" || status=$?
[[ $status == 2 && $(<"$D/errors") == *stride* ]] || fail "--where strid=1: exit $status, $(<"$D/errors")"
grep -qF 'SYNTHETIC 2' "$D/two svg/copy_stride.caption.txt" || fail "the second device is not in the figure"
# Figures of what is worked out: the fleet of one file, the ratios of two.
"$MAKE_REPLICATES" "$D/fleet.h5" 1 devices=12 nodes=3 points=8 slow=5 slower=0.1
"$MAKE_REPLICATES" "$D/again.h5" 2 devices=12 nodes=3 points=8 slow=5 slower=0.1
"$WARPSWEEP" plot "$D/fleet.h5" -o "$D/fleet" -f svg --figure fleet --data >/dev/null
for text in '>outlier<' '12 GPUs, 3 nodes, 8 points, 1 outlier' 'median (%)'; do
    cat "$D/fleet/fleet.svg" "$D/fleet/fleet.caption.txt" | has -F "$text" || fail "the fleet's figure does not say '$text'"
done
[[ $(awk -F'\t' '$6 == "outlier" {print $1}' "$D/fleet/fleet.tsv") == 1 ]] || fail "$(<"$D/fleet/fleet.tsv")"
"$WARPSWEEP" plot "$D/fleet.h5" "$D/again.h5" -o "$D/fleet" -f svg --figure aa >"$D/said" || fail "$(<"$D/said")"
grep -qF '95 % intervals; 0 faster, 0 slower, 0 same, 8 uncertain' "$D/fleet/aa.caption.txt" || fail "the figure of two files"
status=0
"$WARPSWEEP" plot "$D/fleet.h5" -o "$D/fleet" --figure aa >"$D/said" || status=$?
[[ $status == 1 && $(<"$D/said") == 'skipped aa: it needs two files' ]] || fail "one file: exit $status, $(<"$D/said")"
"$WARPSWEEP" plot "$D/s.h5" -o "$D/fleet" --figure fleet >"$D/said" || status=$?
[[ $status == 1 && $(<"$D/said") == *'no three devices'* ]] || fail "no fleet: exit $status, $(<"$D/said")"
# A file of release 0.1 names no roofs: a copy's is the copy peak, and the figure says which roof that is.
"$WARPSWEEP" plot "$SOURCE/tests/release-0.1-h200-copy.h5" -o "$D/old" -f svg --figure copy_size >/dev/null
grep -qF '4299 GB/s<' "$D/old/copy_size.svg" || fail "0.1: no roof"
# LaTeX's special characters are escaped, and no absolute path is in the file.
"$WARPSWEEP" plot "$D/s.h5" -o "$D/latex" -f epslatex --caption in --figure copy_stride >/dev/null
grep -qF 'SYNTHETIC\_1' "$D/latex/copy_stride.tex" || fail "text is not escaped for LaTeX"
! grep -qF "$D" "$D/one epslatex/copy_stride.tex" || fail "an absolute path is in the .tex file"
# A vector figure one column wide.
if command -v pdfinfo >/dev/null; then
    pdfinfo "$D/one pdf/copy_stride.pdf" | has -E 'Page size: +24[45]' || fail "the PDF is not 3.4 in wide"
fi
# --data leaves what redraws the figure.
"$WARPSWEEP" plot "$D/s.h5" -o "$D/data" --figure copy_size --data -f svg >/dev/null
sed "/^<g class=\"values\"/,/^<\/g><!-- values -->/d" "$D/data/copy_size.svg" >"$D/first.svg" # the values are added to the drawing
(cd "$D/data" && LC_ALL=C.UTF-8 gnuplot -d copy_size.plot)
cmp "$D/first.svg" "$D/data/copy_size.svg"
# The template of docs/figures.md is a whole figure.
mkdir "$D/template"
cp "$SOURCE"/analysis/{style,palette}.gp "$D/template"
sed -n '/^```gnuplot$/,/^```$/p' "$SOURCE/docs/figures.md" | sed '/^```/d' >"$D/template/mine.gp"
"$WARPSWEEP" plot "$D/s.h5" -o "$D/template" --analysis "$D/template" -f svg >"$D/said" || fail "the template: $(<"$D/said")"
"$CHECK_FIGURE" "$D/template/mine.svg" || fail "the template's figure"
directives=$(sed -n 's/^ *{"\([a-z]*\)", \.\(text\|list\|lines\) = .*/\1/p' "$SOURCE/src/figure/figure.c")
(($(wc -w <<<"$directives") > 20)) || fail "few directives: $directives"
for directive in $directives; do
    grep -q "^|.*\`$directive" "$SOURCE/docs/figures.md" || fail "docs/figures.md does not tell of $directive"
done
# Two figures may derive different columns of one name.
for name in first second; do
    sed "s/^#: x .*/#: derive   distance=stride*$([[ $name == first ]] && echo 1 || echo 4)\n#: x        stride\n#: place    distance/" \
        "$D/template/mine.gp" >"$D/template/$name.gp"
done
"$WARPSWEEP" plot "$D/s.h5" -o "$D/template" --analysis "$D/template" -f svg --data >"$D/said" || fail "two figures: $(<"$D/said")"
far() { awk -F'\t' '$1 + 0 > most {most = $1 + 0} END {print most}' "$D/template/$1.tsv"; }
(($(far second) == 4 * $(far first))) || fail "places of two figures: $(far first), $(far second)"
# Each panel of a heat map shows its numbers: no panel is painted over them.
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h{1,2}00-paper.h5 -o "$D/heat" --figure heat --heat stride,dtype --width 7in -f svg --data >/dev/null
awk '/^load .*heat.gp/ {panels++} /^set label .[0-9]\.[0-9][0-9]. at/ {numbers++; early += panels < 1} END {exit !(panels == 2 && numbers > 30 && !early)}' \
    "$D/heat/heat.plot" || fail "numbers of a heat map are drawn before its last panel"
# In a two-column document, as TeX sets it: it compiles with the packages that docs/figures.md names, nothing is too wide,
# and no words lie on one another.
document() { # document FOLDER: writes paper.tex with all figures of it
    printf '%s\n' '\documentclass[twocolumn]{article}' '\usepackage[a4paper,margin=16mm]{geometry}' \
        '\usepackage{graphicx,xcolor}' '\graphicspath{{figures/}}' '\begin{document}' '\listoffigures'
    for tex in "$1"/*.tex; do
        name=figures/$(basename "${tex%.tex}")
        [[ $name == *.caption || $name == *.short ]] ||
            printf '\\begin{figure}[p]\\centering\\input{%s}\\caption[\\protect\\input{%s.short}]{\\input{%s.caption}}\\end{figure}\\clearpage\n' "$name" "$name" "$name"
    done
    echo '\end{document}'
}
compile() { # compile FORMAT PROGRAM
    "$WARPSWEEP" plot "$SOURCE/analysis/data/h200-paper.h5" -o "$D/$1/figures" -f "$1" >"$D/said" || fail "$1: $(<"$D/said")"
    document "$D/$1/figures" >"$D/$1/paper.tex"
    for _ in first second; do # the second run reads the list of figures
        (cd "$D/$1" && "$2" -interaction=nonstopmode -halt-on-error paper.tex >log 2>&1) || fail "$2: $(tail -20 "$D/$1/log")"
    done
    grep -q 'copy_stride.short' "$D/$1/paper.lof" || fail "no list of figures"
    ! grep -E '^(Overfull|Missing character|LaTeX Warning: .*undefined)' "$D/$1/log" || fail "$2 complains"
}
overlaps() { # of words in pdftotext's boxes, which are taller than their ink
    awk -F'"' '/<page/ {n = 0} /<word/ {
        sub(/.*">/, ""); word = $0
        for (i = 0; i < n; i++) {
            w = ($6 < r[i] ? $6 : r[i]) - ($2 > l[i] ? $2 : l[i]); h = ($8 < b[i] ? $8 : b[i]) - ($4 > t[i] ? $4 : t[i])
            if (w > 0.8 && h > 0.45 * ($8 - $4 < b[i] - t[i] ? $8 - $4 : b[i] - t[i])) print words[i] " and " word
        }
        l[n] = $2; t[n] = $4; r[n] = $6; b[n] = $8; words[n++] = word }' "$1"
}
if command -v latex >/dev/null; then
    compile epslatex latex
fi
if command -v pdflatex >/dev/null && gnuplot -d -e 'exit status strstrt(GPVAL_TERMINALS, "cairolatex") ? 0 : 1' 2>/dev/null; then
    compile cairolatex pdflatex
    if command -v pdftotext >/dev/null; then
        pdftotext -bbox "$D/cairolatex/paper.pdf" "$D/words"
        (($(grep -c '<word' "$D/words") > 500)) || fail "few words in the document"
        [[ -z $(overlaps "$D/words") ]] || fail "words overlap in the document: $(overlaps "$D/words")"
    fi
fi
# A figure of one's own is one file; one that gnuplot rejects is an error and leaves nothing.
mkdir "$D/own"
cp "$SOURCE"/analysis/{style,palette}.gp "$D/own"
sed 's/Distance of neighbouring accesses (bytes)/My axis (bytes)/' "$SOURCE/analysis/copy_stride.gp" >"$D/own/mine.gp"
"$WARPSWEEP" plot "$D/s.h5" -o "$D/own" --analysis "$D/own" -f svg >/dev/null
grep -q 'My axis' "$D/own/mine.svg" || fail "a figure of one's own is not drawn"
echo 'plot nonsense(' >>"$D/own/mine.gp"
status=0
"$WARPSWEEP" plot "$D/s.h5" -o "$D/own" --analysis "$D/own" -f svg >/dev/null 2>&1 || status=$?
[[ $status == 3 && ! -e $D/own/mine.svg ]] || fail "a broken figure: exit $status"
echo '#: colour blue' >"$D/own/mine.gp"
status=0
"$WARPSWEEP" plot "$D/s.h5" -o "$D/own" --analysis "$D/own" >/dev/null 2>"$D/errors" || status=$?
[[ $status == 3 && $(<"$D/errors") == *mine.gp:1:* ]] || fail "an unknown directive: exit $status"
printf '#: title t\n#: kernl copy\n' >"$D/own/mine.gp"
"$WARPSWEEP" plot "$D/s.h5" -o "$D/own" --analysis "$D/own" >/dev/null 2>"$D/errors" || true
grep -qF "mine.gp:2: unknown directive 'kernl' (did you mean 'kernel'?)" "$D/errors" || fail "$(<"$D/errors")"
# A figure of any columns; a list of the figures, without a file; the names of those that are skipped in one line.
"$WARPSWEEP" plot "$D/s.h5" -o "$D/own" -f svg --data -k copy --x stride --y bandwidth --panel dtype --log >"$D/said" || fail "$(<"$D/said")"
grep -q 'set logscale y' "$D/own/copy_bandwidth_stride.plot" && grep -q '^panels = [2-9]' "$D/own/copy_bandwidth_stride.plot" || fail "a figure of the command line"
"$CHECK_FIGURE" "$D/own/copy_bandwidth_stride.svg" || fail "a figure of the command line"
[[ $("$WARPSWEEP" plot "$SOURCE/analysis/data/h200-paper.h5" -o "$D/one" -f svg --x n --y bandwidth -w kernel=matmul) == *matmul_bandwidth_n.svg:* ]] ||
    fail "--where kernel=matmul does not select the family"
"$WARPSWEEP" plot "$SOURCE/analysis/data/h200-paper.h5" -o "$D/own" -f svg --data --x items --y bandwidth --by variant --panel kernel \
    -w kernel=reduce,gather >"$D/said" || fail "$(<"$D/said")"
grep -q '^panels = 2' "$D/own/kernels_bandwidth_items.plot" || fail "--panel kernel does not draw two families"
for wrong in "--x strid --y bandwidth|did you mean 'stride'" "--x stride|--x needs --y" "--x variant --y bandwidth|holds words" \
    "--by dtype|belongs to a figure" "--x stride --y bandwidth -F copy_stride|choose one"; do
    status=0
    "$WARPSWEEP" plot "$D/s.h5" -o "$D/own" -k copy ${wrong%|*} >/dev/null 2>"$D/errors" || status=$?
    [[ $status == 2 ]] && grep -qF -e "${wrong#*|}" "$D/errors" || fail "$wrong: exit $status, $(<"$D/errors")"
done
"$WARPSWEEP" plot --list | has -E '^copy_stride +Copy bandwidth' || fail "--list"
"$WARPSWEEP" plot "$D/s.h5" -o "$D/own" -f svg >"$D/said" || fail "$(<"$D/said")"
[[ $(grep -c '^skipped' "$D/said") == 1 ]] && grep -q '^skipped, without data for them: aa, .*(-v: the reasons)$' "$D/said" || fail "$(<"$D/said")"
# A disk that is full where the figure goes (a figure's name leads to /dev/full) is an error, not a figure of 0 bytes.
for format in pdf png svg epslatex; do
    rm -rf "$D/full" && mkdir "$D/full"
    ln -s /dev/full "$D/full/copy_stride.${format/epslatex/tex}"
    status=0
    "$WARPSWEEP" plot "$D/s.h5" -o "$D/full" -f $format --figure copy_stride >/dev/null 2>"$D/errors" || status=$?
    [[ $status == 3 ]] || fail "a full disk, $format: exit $status, $(<"$D/errors")"
done
# A relative $TMPDIR.
mkdir "$D/tmp"
(cd "$D" && TMPDIR=tmp "$WARPSWEEP" plot s.h5 -o relative -f svg --figure copy_stride >/dev/null) || fail "relative TMPDIR"
[[ -s $D/relative/copy_stride.svg && -z $(ls -A "$D/tmp") ]] || fail "relative TMPDIR"
# No gnuplot.
status=0
(PATH=/nonexistent "$WARPSWEEP" plot "$D/s.h5" -o "$D/none" >/dev/null 2>"$D/errors") || status=$?
[[ $status == 3 && $(<"$D/errors") == *'install gnuplot'* ]] || fail "without gnuplot: exit $status"

# What was not measured is dashed and hollow, and called a prediction.
"$WARPSWEEP" predict "$SOURCE/jobs/pair_7_1.yaml" --profile b200 -o "$D/predicted.h5" >/dev/null 2>&1 || fail "predict"
"$WARPSWEEP" plot "$D/s.h5" "$D/predicted.h5" -o "$D/predicted" -f svg --figure copy_stride --data >"$D/said" || fail "plot of a prediction: $(<"$D/said")"
curves=$(grep -c '^label\[' "$D/predicted/copy_stride.plot")
# Curves of the second panel: no solid line (dash 1), and marks of the hollow set.
grep '^label\[' "$D/predicted/copy_stride.plot" | awk -v panel="$(grep -o 'first = [0-9]*' "$D/predicted/copy_stride.plot" | tail -1 | grep -o '[0-9]*')" '
    NR >= panel { seen++; if ($0 ~ /dash\[[0-9]+\] = 1;/ || $0 !~ /mark\[[0-9]+\] = (4|6|8|10|12|14);/) exit 1 }
    END { exit !seen }' || fail "a prediction is drawn as if measured: $(grep '^label' "$D/predicted/copy_stride.plot"), $curves"
grep -qF 'Dashed and hollow: predicted by the time model, not measured.' "$D/predicted/copy_stride.caption.txt" || fail "$(<"$D/predicted/copy_stride.caption.txt")"
! grep -qF 'Dashed' "$D/one svg/copy_stride.caption.txt" || fail "what was measured is called a prediction"

# Real data: the roof of a share stands at 100 %; figures about an axis with one value are not drawn; the time lost against
# the roof is that of the table; nothing of shared memory lies beyond its roof.
real=$SOURCE/analysis/data/h200-paper.h5
"$WARPSWEEP" plot "$real" -o "$D/real" -f svg -k lookup --x table --y bandwidth -w index=random >"$D/said" || fail "$(<"$D/said")"
grep -q 'Fixed: .*items 4, .*index random, .*lookups 8\.' "$D/real/lookup_bandwidth_table.caption.txt" ||
    fail "axes with one value: $(<"$D/real/lookup_bandwidth_table.caption.txt")"
"$WARPSWEEP" plot "$real" -o "$D/real" -f svg --data -F transpose_columns -F bottlenecks -F best -F hints >"$D/said" || true
grep -qF 'skipped hints: fewer than two values of hint were measured' "$D/said" || fail "hints: $(<"$D/said")"
grep -qF 'graph 0, first 100 to graph 1, first 100 ' "$D/real/transpose_columns.plot" || fail "the roof of transpose_columns is not at 100 %"
"$WARPSWEEP" plot "$real" -o "$D/rings" -f svg --data -F matmul_columns -F lookup_table >"$D/said" || true
[[ $(grep -c 'point pointtype 6 pointsize (2.2' "$D/rings/matmul_columns.plot") == 4 ]] || fail "four points of matmul_columns were throttled"
grep -qF ' Rings: the power limit or heat lowered' "$D/rings/matmul_columns.caption.txt" || fail "rings without their meaning"
# A bar for each step of one size, in TFLOP/s: the naive product on top.
"$WARPSWEEP" plot "$real" -o "$D/rungs" -f svg --data -F ladder >"$D/said" || fail "ladder: $(<"$D/said")"
naive=$("$WARPSWEEP" table "$real" -k matmul -w variant=naive -w m=4096 -w n=4096 -w k=4096 -c flop_rate | awk 'NR == 2 { printf "%.3f", $1 / 1e12 }')
drawn=$(awk -F'\t' 'NF && $1 != "x" { bars++; if ($2 > top) { top = $2; rate = $1 } } END { printf "%d %d %.3f", bars, top, rate }' "$D/rungs/ladder.tsv")
[[ $drawn == "5 4 $naive" ]] || fail "5 bars, naive on top with $naive, and drawn: $drawn"
# Sparse products, other contents and copies of a step are no bars: each of six steps has one.
"$WARPSWEEP" plot "${real%/*}/h100-tensor.h5" -o "$D/steps" -f svg --data -F ladder >"$D/said" || fail "ladder: $(<"$D/said")"
drawn=$(awk -F'\t' 'NF && $1 != "x" { bars++; steps += !seen[$2]++ } END { printf "%d %d", bars, steps }' "$D/steps/ladder.tsv")
[[ $drawn == "6 6" ]] || fail "6 bars of 6 steps, and drawn: $drawn"
lost=$("$WARPSWEEP" table "$real" -k copy -w status=ok -c time_median,fraction_peak |
    awk 'NR > 1 { all += $1; lost += $2 < 1 ? $1 * (1 - $2) : 0 } END { printf "%.2f", 100 * lost / all }')
# Families stand in the order of their names, add at 14, block_load at 13: copy is at 12.
drawn=$(awk -F'\t' '$2 == 12 && $1 > most { most = $1 } END { printf "%.2f", most }' "$D/real/bottlenecks.tsv")
[[ $lost == "$drawn" ]] || fail "copy loses $lost %, and is drawn at $drawn %: $(<"$D/real/bottlenecks.tsv")"
awk -F'\t' '$0 !~ /^x/ && NF && $1 > 110 { print; bad = 1 } END { exit bad }' "$D/real/best.tsv" || fail "a best point lies far beyond its roof"

# An axis is in the unit that its label names: most predicted times are within a third of the measured ones, not a thousand
# times as long. A few bars that are far longer than what the points span do not press all points flat, and the caption says
# so. Curves that are one are drawn as one; those that coincide in part are of different widths, those that part are not. Roofs
# differ in their dashes.
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h{1,2}00-paper.h5 -o "$D/both" -f svg --data -F predicted -F aa -F speedup -F prefetch_in_flight \
    -F prefetch_work -F copy_stride -F block_sizing -F roofline -F model -F model_residual -F bounds_copy >"$D/said" || true
awk -F'\t' '$1 > 0 { all++; near += $2 < 1.5 * $1 && $2 > $1 / 1.5 } END { print near, all; exit !(near > all / 2) }' \
    "$D/both/predicted.tsv" || fail "measured times are not drawn in the unit of the predicted ones"
sed -n 's/^set yrange \[\(.*\):\(.*\)\]$/\1 \2/p' "$D/both/speedup.plot" | awk '{ exit !($2 - $1 < 0.8) }' || fail "bars press the points flat"
cut=$(awk -F'\t' 'NF && $1 != "x" { cut += $3 == $4 } END { print cut }' "$D/both/speedup.tsv")
((cut > 1)) && grep -qF " $cut points have intervals longer than the panel is high" "$D/both/speedup.caption.txt" ||
    fail "$cut long bars: $(<"$D/both/speedup.caption.txt")"
grep -qF 'skipped aa: it needs two runs of one device' "$D/said" || fail "aa of two devices: $(<"$D/said")"
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h100-copy{,-again}.h5 -o "$D/both" -f svg -F aa >"$D/again" || fail "two runs of one device: $(<"$D/again")"
! grep -qE 'longer than the panel' "$D/both/block_sizing.caption.txt" || fail "bars of block_sizing: $(<"$D/both/block_sizing.caption.txt")"
[[ $(grep -c '^label\[' "$D/both/prefetch_in_flight.plot") == 2 ]] || fail "curves that are one are not drawn as one"
grep -qE ' Drawn as one curve: bulk, cp_async, tensor; at equal x they are at most [0-9]+ GB/s apart\.' "$D/both/prefetch_in_flight.caption.txt" ||
    fail "$(<"$D/both/prefetch_in_flight.caption.txt")"
[[ $(grep -o 'wide\[[0-9]*\] = .*' "$D/both/prefetch_work.plot" | sort -u -k3 | wc -l) -gt 1 ]] || fail "curves that coincide hide each other"
# A law that the counters of both files keep: its knee is marked, the caption says at how many points, and begins with what
# follows. Synthetic files have no counters.
[[ $(grep -c 'set arrow from first [0-9]*, graph 0 to first [0-9]*, graph 1' "$D/both/copy_stride.plot") == 4 ]] || fail "knees: $(grep arrow "$D/both/copy_stride.plot")"
grep -qE '^A strided load costs DRAM .*DRAM bytes read for an access = min\(distance, 64\) at ([0-9]+) of \1 points' "$D/both/copy_stride.caption.txt" ||
    fail "$(<"$D/both/copy_stride.caption.txt")"
! grep -qE 'A strided load|Counters:' "$D/one svg/copy_stride.caption.txt" || fail "a law without counters"
# A line from a column has each panel's own value; without roofs in the picture the caption has none.
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h{1,2}00-paper.h5 -o "$D/both" -f svg -F host_copy_round_trip >/dev/null || fail "round trips"
[[ $(grep -oE 'both directions [0-9.]+ GB/s' "$D/both/host_copy_round_trip.svg" | sort -u | wc -l) == 2 ]] || fail "two devices have one line"
! grep -qF 'measured roofs' "$D/both/host_copy_round_trip.caption.txt" || fail "$(<"$D/both/host_copy_round_trip.caption.txt")"
# Bars go through to their marks: gnuplot's default erases around them.
! grep -E "scale\\(([1-9]|0\\.[1-9]).*color='#FFFFFF'" "$D/both/host_copy_round_trip.svg" || fail "marks erase what is around them"
# A measured column along x has a unit that fits.
"$WARPSWEEP" plot "$SOURCE/analysis/data/h200-paper.h5" -o "$D/both" -f svg --kernel transpose --x time_median --y bandwidth >/dev/null || fail "against times"
grep -qE '>Time \(m?s\)<|>Time \(us\)<' "$D/both/transpose_bandwidth_time_median.svg" && ! grep -qE '>[0-9.]+e-[0-9]+<' "$D/both/transpose_bandwidth_time_median.svg" ||
    fail "times along x: $(grep -oE '>[^<]+<' "$D/both/transpose_bandwidth_time_median.svg")"
# Families along an axis are in one panel.
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h{1,2}00-paper.h5 -o "$D/both" -f svg --data -F heat --heat kernel,dtype >/dev/null || fail "heat of families"
[[ $(grep -c '^load .*heat.gp' "$D/both/heat.plot") == 1 ]] || fail "heat of families: $(grep -c '^load .*heat.gp' "$D/both/heat.plot") panels"

# A finding is stated with its range where the intervals of all points show it, and only there: not the other way round, not of points
# that are not there, not of one device alone. The L2 of each device is marked.
mkdir "$D/findings"
cp "$SOURCE"/analysis/{style,palette}.gp "$D/findings"
for case in 'true variant=restrict over variant=plain with items>1' 'reversed variant=plain over variant=restrict with items>1' \
    'equal variant=restrict over variant=plain' 'one variant=restrict over variant=plain with items=4' 'absent variant=tma over variant=plain'; do
    sed "s/^#: finding .*/#: finding ${case#* }: So % times./" "$SOURCE/analysis/lookup_items.gp" >"$D/findings/${case%% *}.gp"
done
cp "$SOURCE/analysis/gather_size.gp" "$D/findings"
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h{1,2}00-paper.h5 -o "$D/findings" -f svg --data --analysis "$D/findings" >/dev/null || fail "findings"
grep -qE '^So 1\.[0-9]{2} to 1\.[0-9]{2} times\. Lookup' "$D/findings/true.caption.txt" || fail "a finding: $(<"$D/findings/true.caption.txt")"
for name in reversed equal one absent; do
    grep -q '^Lookup' "$D/findings/$name.caption.txt" || fail "a finding that points do not show: $(<"$D/findings/$name.caption.txt")"
done
[[ $(grep -oE 'L2: [0-9]+MiB' "$D/findings/gather_size.plot" | sort -u | wc -l) == 2 ]] || fail "the sizes of L2 are not marked"
sed 's/^#: finding .*/#: finding variant=restrict: words/' "$SOURCE/analysis/lookup_items.gp" >"$D/own/mine.gp"
status=0
"$WARPSWEEP" plot "$SOURCE/analysis/data/h200-paper.h5" -o "$D/own" --analysis "$D/own" >/dev/null 2>"$D/errors" || status=$?
[[ $status == 3 ]] && grep -qE 'mine.gp:[0-9]+: finding: expected CONDITION' "$D/errors" || fail "a malformed finding: $status $(<"$D/errors")"
! grep -o 'wide\[[0-9]*\] = .*' "$D/both/block_sizing.plot" | grep -v ' = 1$' || fail "curves that part are of different widths"
grep -qF 'the lower ones are drawn wider' "$D/both/prefetch_work.caption.txt" && ! grep -qF wider "$D/both/block_sizing.caption.txt" || fail "captions of coinciding curves"
# Each roof has its own dash, as far as gnuplot's five go.
grep '; lined\[[0-9]*\] = 1;' "$D/both/roofline.plot" | sed 's/\[[0-9]*\]//g; s/label = \(.*\); colour.* dash = \([0-9]*\);.*/\1 \2/' | sort -u >"$D/dashes"
awk '!seen[$NF]++ { n++ } END { exit !(NR == 3 && n == 3) }' "$D/dashes" || fail "roofs that are alike in grey print: $(<"$D/dashes")"

# What is left over of counts that are all as predicted is no figure, and the caption of the other one says it; of those that
# are not, it shows these alone. Where no point has a bound, nothing is drawn of bounds.
grep -qE '^skipped model_residual: all [0-9]+ counts are as predicted$' "$D/said" || fail "nothing left over: $(<"$D/said")"
grep -qE ' ([0-9]+) of \1 counts are as predicted\.' "$D/both/model.caption.txt" || fail "$(<"$D/both/model.caption.txt")"
"$WARPSWEEP" plot "$SOURCE/analysis/data/h100-paper.h5" -F bounds_copy -o "$D/unbound" >"$D/said" 2>&1 || true
grep -qF 'bounds_copy: no measured point has bound!=none' "$D/said" || fail "bounds of nothing: $(<"$D/said")"
"$MAKE_COUNTED" "$D/synthetic-counted.h5"
"$WARPSWEEP" plot "$D/synthetic-counted.h5" -o "$D/counted" -f svg --data -F model_residual >/dev/null || fail "no figure of what is left over"
awk -F'\t' 'NF && $1 != "x" { rows++; equal += $2 == 0 } END { exit !(rows && !equal) }' "$D/counted/model_residual.tsv" ||
    fail "what is left over: $(<"$D/counted/model_residual.tsv")"

# Concurrent over alone, against the times of the points: both ways over one way, and the work without messages over that with them.
"$WARPSWEEP" plot "$SOURCE/analysis/data/h200-contention.h5" -o "$D/contention" -f epslatex --data -F contention >/dev/null || fail "no figure of contention"
[[ $(awk 'NF && $1 != "x"' "$D/contention/contention.tsv" | wc -l) -eq 33 ]] || fail "cells: $(<"$D/contention/contention.tsv")"
of() { "$WARPSWEEP" table "$SOURCE/analysis/data/h200-contention.h5" -w gpus=2 -c time_median "$@" | tail -n 1; }
for cell in "1 8 $(of -w pattern=one -w variant=load -w size=256MiB -w beside=none) $(of -w pattern=both -w variant=load -w size=256MiB -w beside=none)" \
    "1 2 $(of -w pattern=none -w beside=local_copy) $(of -w pattern=both -w variant=load -w measured=work -w beside=local_copy)"; do
    read -r x y alone both <<<"$cell"
    awk -F'\t' -v x="$x" -v y="$y" -v r="$(awk "BEGIN { print $alone / $both }")" \
        '$1 == x && $2 == y && NR > 1 { seen = $7 > 0.99999 * r && $7 < 1.00001 * r && $9 > 0 && $9 < 5 } END { exit !seen }' "$D/contention/contention.tsv" ||
        fail "the cell $x $y is not $alone / $both"
done

# In EPS each line has the colour that it was given: gnuplot's line types have others.
"$WARPSWEEP" plot "$SOURCE"/analysis/data/h{1,2}00-paper.h5 -o "$D/both" -f epslatex -F copy_stride >/dev/null || fail "copy_stride as EPS"
awk '/^LT[0-9]$/ { type = $0; types++; next } type { if ($0 !~ / C$|setrgbcolor/) { print type, $0; bad = 1 } type = "" } END { exit bad || !types }' \
    "$D/both/copy_stride.eps" || fail "lines in colours of their own"
