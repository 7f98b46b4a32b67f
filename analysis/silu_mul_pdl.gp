#: title    Time of short launches one behind the other, with and without programmatic dependent launch
#: kernel   silu_mul
#: where    variant=silu dtype=f16 unroll=full loop=row batch=1,2,4,8,16,32 cache=hot
#: x        batch
#: xlabel   Rows of the input (rows)
#: y        time_median
#: ylabel   Time per launch (us)
#: finding  pdl=off over pdl=on: Without programmatic dependent launch, a launch takes % times as long.
#: interval time_ci_low time_ci_high 95_%_intervals_of_the_median_time
#: series   pdl d
#: contrast pdl
#: state    dtype unroll block cache
