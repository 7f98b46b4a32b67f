#: title    Speed-up of the second file over the first by two axes: geometric means of the points of a cell
#: table    heat
#: kernel   *
#: x        across
#: xnames   across_name
#: y        up
#: names    up_name
#: series   kernel
#: panel    kernel
#: columns  speedup
#: draw     cells
#: remark   Blue: the second is faster; vermilion: slower.
unset grid
plot for [i = first:last] data index i - 1 using 'x':'y':(column('x') - 0.5):(column('x') + 0.5):(column('y') - 0.5):(column('y') + 0.5):(cell_shade(column('speedup'))) with boxxyerror linecolor rgb variable fillstyle solid 1 noborder notitle
