#: title    Latency of one load in each page, by who else chases
#: kernel   pages
#: where    variant=pages hop=2MiB second=1
#: x        size
#: xlabel   Footprint of a tour (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_groups
#: contrast chasers
#: series   chasers tours sets
#: panel    tours
#: state    hops sm
