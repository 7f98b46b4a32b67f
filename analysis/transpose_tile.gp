#: title    Bandwidth of transpositions against the tile, by way through shared memory
#: kernel   transpose
#: where    dtype=f32 variant=naive,shared,padded,swizzled,vectorized,tma
#: x        tile
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    rows columns cache
load analysis.'/style.gp'

set xlabel 'Side of a tile (elements)'
plot for [i = 1:curves] data index i - 1 using 'tile':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'tile':@bandwidth with linespoints @curve title key_title(i)
