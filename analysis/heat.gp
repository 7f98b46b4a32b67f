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
