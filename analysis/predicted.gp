#: title    Measured time against the time model's, with a band of 15 %
#: kernel   *
#: where    backend=cuda
#: x        predicted_time
#: series   kernel
#: columns  time_median
roof_unit = 'none'
load analysis.'/style.gp'

set logscale xy 10
set format xy '%.0s %cs'
set xrange [5e-7:*]
set yrange [5e-7:*]
set xtics 100
set ytics 10
set xlabel 'Predicted'
set ylabel 'Measured'

# On the line the model is right; above it the point takes longer than predicted.
dots = 'linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i])'
grey = 'linecolor rgb palette_grey notitle'
plot for [i = 1:curves] data index i - 1 using 'predicted_time':'time_median' with points @dots title key_title(i), \
     [5e-7:10] x with lines linewidth 0.8 dashtype 3 @grey, \
     [5e-7:10] x * 1.15 with lines linewidth 0.6 @grey, \
     [5e-7:10] x / 1.15 with lines linewidth 0.6 @grey
