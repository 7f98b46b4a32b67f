#!/usr/bin/env bash
# Every figure that the repository's data has, as SVG, in one and two columns, of one, two and four devices: no texts that
# overlap or leave the page, units on every axis, no empty panel. And that the check can fail.
source "$(dirname "$0")/setup.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
data=$SOURCE/analysis/data
cp "$data/h200-paper.h5" "$D/synthetic-a.h5" # files merged under another name stand for more devices
cp "$data/h100-paper.h5" "$D/synthetic-b.h5"

draw() { # draw FOLDER WIDTH FILE...
    local folder=$D/$1 width=$2
    shift 2
    "$WARPSWEEP" plot "$@" -o "$folder" -f svg --width "$width" --caption in >"$D/said" 2>"$D/errors" || fail "plot: $(cat "$D/said" "$D/errors")"
    [[ ! -s $D/errors ]] || fail "gnuplot says: $(cat "$D/errors")"
    # What is skipped has a reason of one line.
    ! grep '^skipped' "$D/said" | awk 'length > 160' | grep . || fail "long reasons"
    (($(grep -vc '^skipped' "$D/said") >= 25)) || fail "only $(grep -vc '^skipped' "$D/said") figures: $(<"$D/said")"
}
for width in 3.4in 7in; do
    draw "one $width" "$width" "$data/h200-paper.h5"
    draw "two $width" "$width" "$data"/h{2,1}00-paper.h5
    draw "four $width" "$width" "$data"/h{2,1}00-paper.h5 "$D"/synthetic-{a,b}.h5
    "$WARPSWEEP" plot "$data"/h{2,1}00-copy.h5 -o "$D/normalised $width" -f svg --width "$width" --normalise >/dev/null
    "$WARPSWEEP" plot "$data"/h{1,2}00-copy.h5 -o "$D/compared $width" -f svg --width "$width" --heat stride,dtype \
        -F speedup -F heat >/dev/null || fail "two files compared"
    "$WARPSWEEP" plot "$data"/h{1,2}00-copy.h5 -o "$D/samples $width" -f svg --width "$width" -F ecdf -w kernel=copy \
        -w variant=load -w stride=1 -w vector=1,4 -w dtype=f32,f64 -w offset=0 -w size=1GiB -w cache=cold -w block=256 \
        -w items=1 -w hint=default >"$D/said" || fail "samples of chosen points: $(<"$D/said")"
done
"$CHECK_FIGURE" "$D"/{one,two,four,normalised,compared,samples}\ */*.svg || fail "figures that cannot go into a paper"

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
