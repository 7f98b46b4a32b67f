# style.gp - common to all figures: terminal, lines and macros. gnuplot reads this and the output of
# src/figure/layout/script.c before a figure's own file. That file is read once per panel, with these variables set:
#
#   format, output    pdf, png, svg, epslatex or cairolatex; the file
#   width, height     of the page, in inches
#   data              a tab-separated file, one block per curve, with columns x, y, low, high (in the units of the axes; low and
#                     high are y where there is no interval) and the figure's own `columns`; plotted with `index i - 1`
#   all_curves        number of curves of the figure; label[i], colour[i], mark[i], dash[i], fill[i] (a pattern), tint[i] (below it) and wide[i]
#                     (factor of the line width, over 1 below curves that coincide) of each
#   reach             the largest |log| of a cell's value, at least 0.1
#   panels, panel     number of panels, and this one, from 1; block is 2 in panels of ratios
#   first, last       the curves of this panel
#
# Margins, ranges, ticks, all texts and the lines of roofs are also set. A file can consist of `plot @curves` only.
# docs/figures.md describes how to write one.
load analysis.'/palette.gp'

curve_width = 1.1
mark_size = format eq 'svg' ? 0.62 : 0.42 # the svg terminal's marks are smaller

# Fonts in points, which cairo and svg count in 96ths of an inch; the layout was measured with 'Sans'. Browsers
# know that font as sans-serif.
if (format eq 'pdf') {
    set terminal pdfcairo noenhanced color size width in, height in font 'Sans,7' fontscale 0.75 linewidth 0.8 rounded
}
if (format eq 'png') { # 300 dots an inch
    set terminal pngcairo noenhanced color size int(width * 300 + 0.5), int(height * 300 + 0.5) font 'Sans,7' fontscale 300 / 96.0 linewidth 3.2 pointscale 3.6 rounded
}
if (format eq 'svg') {
    set terminal svg noenhanced size int(width * 96 + 0.5), int(height * 96 + 0.5) font 'sans-serif,7' fontscale 96 / 72.0 linewidth 1 rounded background 'white'
}
if (format eq 'epslatex') {
    set terminal epslatex color size width in, height in font '' 7 linewidth 1 pointscale 2.2 rounded
}
if (format eq 'cairolatex') {
    set terminal cairolatex pdf color size width in, height in font '' fontscale 0.6 linewidth 0.8 rounded
}
set output output
set encoding utf8
set datafile separator "\t"
set datafile missing 'nan'

unset key
set border 3 linewidth 0.6 linecolor rgb '#333333'
set tics nomirror out scale 0.5
set format x ''
set format y ''
set grid xtics ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.5
set bars 0.4
set pointintervalbox 0.001 # bars and lines go through to the mark; 0 would mean 1

# ---- Cells: tints of two colours by the logarithm of the ratio, light enough for the numbers in them; `reach` is the
# largest logarithm, the key shows the same tints
cell_tint(r) = 0.65 * abs(log(r)) / reach
cell_mixed(r, c) = int(255 + cell_tint(r) * (c - 255))
cell_shade(r) = r > 1 ? cell_mixed(r, 0) * 65536 + cell_mixed(r, 114) * 256 + cell_mixed(r, 178) : cell_mixed(r, 213) * 65536 + cell_mixed(r, 94) * 256 + cell_mixed(r, 0)

# ---- `plot @curves`: bars first, so that marks lie on them; `plot @dots`: the same without lines;
# `plot @across`: dots with bars along x; `plot @stacks`: boxes from low to high along x
bars = "for [i = first:last] data index i - 1 using 'x':'y':'low':'high' with yerrorbars linecolor rgb colour[i] dashtype 1 pointtype 0 linewidth 0.7 notitle"
curves = bars.", for [i = first:last] data index i - 1 using 'x':'y' with linespoints linecolor rgb colour[i] linewidth (curve_width * wide[i]) dashtype dash[i] pointtype mark[i] pointsize (mark_size * (0.6 + 0.4 * wide[i])) notitle"
dots = bars.", for [i = first:last] data index i - 1 using 'x':'y' with points linecolor rgb colour[i] pointtype mark[i] pointsize mark_size notitle"
# An area has its colour, or a tint of it below a pattern in it. `areas`: boxes from low to high between two heights.
hatched(i) = fill[i] == 3 ? NaN : column('x')
areas(low, high, border) = sprintf("for [i = first:last] data index i - 1 using 'x':'y':'low':'high':(%s):(%s) with boxxyerror linecolor rgb tint[i] linewidth 0.4 fillstyle solid 1 %s notitle, for [i = first:last] data index i - 1 using (hatched(i)):'y':'low':'high':(%s):(%s) with boxxyerror linecolor rgb colour[i] linewidth 0.4 fillstyle transparent pattern fill[i] %s notitle", low, high, border, low, high, border)
stacks = areas("column('y') - 0.33", "column('y') + 0.33", "border linecolor rgb '#222222'")
across = "for [i = first:last] data index i - 1 using 'x':'y':'low':'high' with xerrorbars linecolor rgb colour[i] dashtype 1 linewidth 0.9 pointtype mark[i] pointsize mark_size notitle"
