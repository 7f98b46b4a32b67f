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
# Tints of the two colours by the logarithm of the ratio, light enough for the numbers in them.
stats data using (abs(log(column('speedup')))) nooutput
reach = STATS_max > 0.1 ? STATS_max : 0.1
tint(r) = 0.65 * abs(log(r)) / reach
mixed(r, c) = int(255 + tint(r) * (c - 255))
shade(r) = r > 1 ? mixed(r, 0) * 65536 + mixed(r, 114) * 256 + mixed(r, 178) : mixed(r, 213) * 65536 + mixed(r, 94) * 256 + mixed(r, 0)
unset grid
plot for [i = first:last] data index i - 1 using 'x':'y':(column('x') - 0.5):(column('x') + 0.5):(column('y') - 0.5):(column('y') + 0.5):(shade(column('speedup'))) with boxxyerror linecolor rgb variable fillstyle solid 1 noborder notitle
