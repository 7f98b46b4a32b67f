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
#: draw     areas
# A part of the run is as wide as its time; of its height each group of phases has the share of it that it took.
lane(y, share) = y - 0.4 + 0.8 * share
boxes = areas("lane(column('y'), column('below'))", "lane(column('y'), column('above'))", 'noborder')
plot @boxes
