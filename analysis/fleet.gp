#: title    The GPUs of a fleet: how much slower each is than the median
#: table    fleet
#: kernel   *
#: x        rank
#: series   judged
#: columns  effect effect_low effect_high z
roof_unit = 'none'
load analysis.'/style.gp'

unset logscale x
set xrange [0:*]
set yrange [*:*]
set xlabel 'GPU, the slowest first'
set ylabel 'Slower than the median (%)' offset 1, 0
set arrow 300 from graph 0, first 0 to graph 1, first 0 nohead back linecolor rgb palette_grey linewidth 0.8
plot for [i = 1:curves] data index i - 1 using 'rank':'effect':'effect_low':'effect_high' with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'rank':'effect' with points pointsize 0.35 linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i]) title key_title(i)
