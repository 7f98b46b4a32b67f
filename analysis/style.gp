# style.gp - what every figure has in common: the terminal for `format`, the key, the caption block, and the lines
# that mark what bounds the points. A figure loads it first; src/cli/figure/gnuplot.c lists the variables set before it.
load analysis.'/palette.gp'

is_latex = format eq 'epslatex'
giga = 1e9

# ---- The page: one column of a two-column paper, a plot of constant height, as much key and caption as needed
width = 3.4          # inches, like all lengths here
plot_height = 1.45
key_row = 0.15
caption_row = 0.105

# The key has each label once: devices and files are told apart by dashes, which the caption block explains.
is_first(i) = (sum [k = 1:i] (colour[k] == colour[i] ? 1 : 0)) == 1
entries = 0
longest = 1
do for [i = 1:curves] {
    if (is_first(i)) { entries = entries + 1 }
    if (strlen(label[i]) > longest) { longest = strlen(label[i]) }
}
per_row = int((width - 0.1) / (0.42 + 0.075 * longest))
per_row = per_row > entries ? entries : per_row < 1 ? 1 : per_row
key_rows = (entries + per_row - 1) / per_row

above = 0.08 + key_row * key_rows
below = 0.48 + caption_row * captions
height = above + plot_height + below

# Fonts in points; cairo and svg count them in 96ths of an inch.
if (format eq 'pdf') {
    set terminal pdfcairo noenhanced color size width in, height in font 'Sans,8' fontscale 0.75 linewidth 0.8 rounded
}
if (format eq 'png') { # 300 dots an inch
    set terminal pngcairo noenhanced color size int(width * 300), int(height * 300) font 'Sans,8' fontscale 300 / 96.0 linewidth 3.2 pointscale 3.6 rounded
}
if (format eq 'svg') {
    set terminal svg noenhanced size int(width * 96), int(height * 96) font 'Sans,8' fontscale 1 linewidth 1 rounded background 'white'
}
if (is_latex) {
    set terminal epslatex color size width in, height in font '' 8 linewidth 1 rounded
}
set output output
set encoding utf8
set datafile separator "\t"
set datafile missing 'nan'

set tmargin at screen 1 - above / height
set bmargin at screen below / height
set lmargin at screen 0.53 / width
set rmargin at screen 1 - 0.22 / width

set border 3 linewidth 0.6 linecolor rgb '#333333'
set tics nomirror out scale 0.5 textcolor rgb '#000000'
set grid xtics ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.5
set xlabel offset 0, 0.6
set ylabel offset 1.7, 0
set pointsize 0.5
set bars 0.5
set key at screen 0.5, screen 1 - 0.04 / height center top horizontal Left reverse samplen 1.5 maxcols per_row

# ---- Curves: first `plot for [i = 1:curves] data index i - 1 using ... with yerrorbars @bars`, which blanks what is
# under a point, then the same `with linespoints @curve title key_title(i)`
key_title(i) = is_first(i) ? label[i] : ''
curve = 'linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i]) dashtype source[i]'
bars = 'linecolor rgb colour_of(colour[i]) pointtype 0 notitle'

# ---- Bandwidth, from zero; room above for the words at the peak
bandwidth = "(column('bandwidth') / giga)"
bandwidth_interval = "(column('bandwidth') / giga):(column('bandwidth_low') / giga):(column('bandwidth_high') / giga)"
set ylabel 'Bandwidth (GB/s)'
set yrange [0:1.18 * top / giga]

# ---- The caption block, smaller and grey, at the foot
small(text) = is_latex ? '{\tiny '.text.'}' : text
indent = sources > 1 ? 0.32 / width : 0
do for [i = 1:captions] {
    y = (0.07 + caption_row * (captions - i)) / height
    set label 100 + i small(caption[i]) at screen 0.02 + indent, screen y left font ',6' textcolor rgb palette_grey
    if (sources > 1 && caption_source[i]) {
        set arrow 100 + i from screen 0.02, screen y to screen 0.02 + 0.27 / width, screen y nohead linecolor rgb palette_grey linewidth 1 dashtype caption_source[i]
    }
}

# ---- What bounds the points at best, as it was measured in the same run: a line for each kind of roof and source, named
# at the end where the curves leave room. A figure of another unit says so before it loads this: roof_unit 'flop' for
# rates of operations, 'none' for what no roof is a bound of, roof_scale and roof_scale_name for another than GB/s.
if (!exists('roof_unit')) { roof_unit = 'byte' }
if (!exists('roof_scale')) { roof_scale = giga; roof_scale_name = 'GB/s' }
roof_text(r) = sprintf('%s%s %.4g %s', roof_name[r], roof_varies[r] ? ' up to' : '', roof_rate[r] / roof_scale, roof_scale_name)
# A figure whose y axis is in TFLOP/s reaches to 1.18 * top_flop / 1e12.
is_drawn(r) = roof_unit eq (roof_flop[r] ? 'flop' : 'byte')
do for [r = 1:roofs] {
    if (is_drawn(r)) {
        y = roof_rate[r] / roof_scale
        roof_dash = roof_source[r] == 1 ? 3 : roof_source[r]
        roof_up = roof_below[r] ? -0.5 : 0.4
        set arrow 200 + r from graph 0, first y to graph 1, first y nohead back linecolor rgb palette_grey linewidth 0.8 dashtype roof_dash
        if (roof_left[r]) {
            set label 200 + r small(roof_text(r)) at graph 0.01, first y left offset 0, roof_up font ',6' textcolor rgb palette_grey
        } else {
            set label 200 + r small(roof_text(r)) at graph 0.99, first y right offset 0, roof_up font ',6' textcolor rgb palette_grey
        }
    }
}

# ---- Axes
set logscale x 2
dtype_size(name) = name eq 'u8' || name eq 'e4m3' || name eq 'e5m2' ? 1 : name eq 'f16' || name eq 'bf16' ? 2 : name eq 'f64' || name eq 'i64' ? 8 : 4
