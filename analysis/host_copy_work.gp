#: title    Host to device, against the work of the kernel that takes what arrives
#: kernel   host_copy
#: where    variant=overlapped,zero_copy direction=h2d
#: x        work
#: xlabel   Work per word (operations)
#: xscale   log2+1
#: y        bandwidth
#: finding  streams=4 over streams=1 with work>=1024: From 1024 operations per word on, four streams give % times the bandwidth of one.
#: series   variant streams
#: contrast work
#: baseline variant=zero_copy
#: state    size chunk width direction
