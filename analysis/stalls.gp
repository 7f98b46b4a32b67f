#: title    What the warps of each family's best point wait for
#: table    stalls
#: kernel   *
#: x        end
#: xlabel   Share of stalled warps (%)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Kernel family (name)
#: interval start end parts_of_the_stalls
#: series   reason
#: draw     across
plot for [i = first:last] data index i - 1 using 'x':'y':'low':'high':(column('y') - 0.33):(column('y') + 0.33) with boxxyerror linecolor rgb colour[i] fillstyle solid 1 border linecolor rgb '#ffffff' notitle
