#: title    Measured time against the time model's, with a band of 15 %
#: kernel   *
#: x        predicted_time
#: series   kernel
#: columns  time_median
roof_unit = 'none'
load analysis.'/style.gp'

set logscale xy 10
set format xy '10^{%T}'
set xlabel 'Predicted (s)'
set ylabel 'Measured (s)'
set samples 2

# On the line the model is right; above it the point takes longer than predicted.
dots = 'linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i])'
plot x with lines linecolor rgb palette_grey linewidth 0.8 dashtype 3 notitle, \
     x * 1.15 with lines linecolor rgb palette_grey linewidth 0.6 notitle, \
     x / 1.15 with lines linecolor rgb palette_grey linewidth 0.6 notitle, \
     for [i = 1:curves] data index i - 1 using 'predicted_time':'time_median' with points @dots title key_title(i)
