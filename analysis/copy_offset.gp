#: title    Copy bandwidth against the distance from an aligned start, relative to the aligned copy
#: kernel   copy
#: where    variant=load,store stride=1
#: derive   aligned=bandwidth[offset=0] change=100*(bandwidth/aligned-1) change_low=100*(bandwidth*time_median/time_ci_high/aligned-1) change_high=100*(bandwidth*time_median/time_ci_low/aligned-1)
#: x        offset
#: xlabel   Offset from the aligned start (elements)
#: xscale   linear
#: y        change
#: ylabel   Change from the aligned copy (%)
#: interval change_low change_high 95_%_intervals_of_the_median_time
#: line     0
#: series   variant dtype
#: state    dtype size vector cache
plot @curves
