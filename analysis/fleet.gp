#: title    GPUs of a fleet: how much slower each is than the median GPU
#: table    fleet
#: kernel   *
#: x        rank
#: xlabel   Rank of the GPU (1: the slowest)
#: xscale   linear
#: y        effect
#: ylabel   Slower than the median (%)
#: yscale   linear
#: interval effect_low effect_high 5th_to_95th_percentile_of_points
#: series   judged
#: draw     dots
#: line     0
