#: title    Host to device in chunks over streams, against the work of the kernel behind each chunk's copy
#: kernel   host_copy
#: where    variant=overlapped direction=h2d
#: x        work
#: xlabel   Work per word (operations)
#: xscale   log2+1
#: y        bandwidth
#: series   streams
#: contrast work
#: state    size chunk variant direction
plot @curves
