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
#: remark   Blue: the second is faster; vermilion: slower; grey: not measured on both sides.
unset grid
set object rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillstyle solid 1 noborder fillcolor rgb '#e4e4e4'
plot for [i = first:last] data index i - 1 using 'x':'y':(column('x') - 0.5):(column('x') + 0.5):(column('y') - 0.5):(column('y') + 0.5):(cell_shade(column('speedup'))) with boxxyerror linecolor rgb variable fillstyle solid 1 noborder notitle
