#: title    Between the GPUs of a node: the launching one along x, the other along y
#: table    links
#: kernel   *
#: x        across
#: xlabel   Launching GPU
#: xnames   across_name
#: y        up
#: ylabel   Other GPU
#: names    up_name
#: series   kernel
#: panel    kernel
#: columns  speedup shown
#: draw     cells
#: remark   One way, all multiprocessors, 16-byte accesses, hot L2. Shades: over the median of the pairs of two GPUs (blue: faster; vermilion: slower); the diagonal, within one GPU, has none; grey: not measured.
unset grid
set object rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillstyle solid 1 noborder fillcolor rgb '#e4e4e4'
plot for [i = first:last] data index i - 1 using 'x':'y':(column('x') - 0.5):(column('x') + 0.5):(column('y') - 0.5):(column('y') + 0.5):(cell_shade(column('speedup'))) with boxxyerror linecolor rgb variable fillstyle solid 1 noborder notitle
