#: title    Copy bandwidth against the distance from an aligned start, relative to the aligned copy
#: kernel   copy
#: where    variant=load,store stride=1
#: derive   distance=offset*dtype.bytes aligned=bandwidth[offset=0] change=100*(bandwidth/aligned-1) change_low=100*(bandwidth*time_median/time_ci_high/aligned-1) change_high=100*(bandwidth*time_median/time_ci_low/aligned-1)
#: x        offset
#: xlabel   Distance from the aligned start (bytes)
#: xscale   linear
#: y        change
#: ylabel   Change from aligned (%)
#: interval change_low change_high 95_%_intervals_of_the_median_time
#: line     0
#: law      copy_offset 32 32 bytes: a sector
#: place    distance
#: finding  variant=store distance=32,64,96 over variant=load distance=32,64,96: At 32, 64 and 96 bytes from an aligned start, loads lose more than stores.
#: series   variant dtype
#: state    dtype size vector cache
