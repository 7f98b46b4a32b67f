#: title    Round trips over the host link against the work of the kernel between both copies of a chunk
#: kernel   host_copy
#: where    variant=round_trip
#: x        work
#: xlabel   Work per word (operations)
#: xscale   log2+1
#: y        bandwidth
#: series   streams
#: contrast work
#: state    size chunk variant
#: remark   The bandwidth counts the bytes of both directions.
plot @curves
