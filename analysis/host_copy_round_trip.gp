#: title    Round trips over the host link against the work of the kernel between both copies of a chunk
#: kernel   host_copy
#: where    variant=round_trip
#: x        work
#: xlabel   Work per word (operations)
#: xscale   log2+1
#: y        bandwidth
#: finding  streams=2,3,4 over streams=1 with work<=256: With at most 256 operations per word, two streams or more give % times the bandwidth of one.
#: roof     none
#: line     roof_rate both directions
#: series   streams
#: contrast work
#: state    size chunk variant
#: remark   The bandwidth counts the bytes of both directions.
