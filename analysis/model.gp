#: title    Sectors per request of global loads and stores: counted against predicted by the access model
#: kernel   *
#: x        predicted_load_sectors_per_request
#: series   kernel
#: columns  load_sectors_per_request predicted_store_sectors_per_request store_sectors_per_request
roof_unit = 'none'
load analysis.'/style.gp'

set logscale y 2
set xrange [0.7:90]
set yrange [0.7:90]
set xlabel 'Predicted (sectors per request)'
set ylabel 'Counted (sectors per request)'
set samples 2

# What was not counted, or has no prediction, lies far outside: a series without any point is then no warning.
seen(name) = column(name) > 0 ? column(name) : 1e-9

# Loads are filled and stores are open; on the line, hardware and model agree.
dots = 'linecolor rgb colour_of(colour[i])'
plot x with lines linecolor rgb palette_grey linewidth 0.8 dashtype 3 notitle, \
     for [i = 1:curves] data index i - 1 using (seen('predicted_store_sectors_per_request')):(seen('store_sectors_per_request')) with points @dots pointtype point_of(colour[i]) - 1 pointsize 0.9 notitle, \
     for [i = 1:curves] data index i - 1 using (seen('predicted_load_sectors_per_request')):(seen('load_sectors_per_request')) with points @dots pointtype point_of(colour[i]) title key_title(i)
