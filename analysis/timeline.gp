#: title    Timeline: the phase of each rank
#: table    timeline
#: kernel   *
#: x        end
#: xlabel   Time since the run's start (s)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Lane (rank)
#: interval start end parts_of_the_run
#: series   phase
#: columns  below above
#: draw     across
# A part of the run is as wide as its time; of its height each group of phases has the share of it that it took.
# Sampling is solid, as are the light ones; the other dark ones are hatched, so that print without colours tells them apart.
hatch(i) = label[i] eq 'verify' ? 2 : label[i] eq 'start, compile' ? 4 : 3
lane(y, share) = y - 0.4 + 0.8 * share
plot for [i = first:last] data index i - 1 using 'x':'y':'low':'high':(lane(column('y'), column('below'))):(lane(column('y'), column('above'))) with boxxyerror linecolor rgb colour[i] fillstyle pattern hatch(i) noborder notitle
