#: title    Host to device in chunks over streams, with a kernel between
#: kernel   host_copy
#: where    variant=overlapped direction=h2d chunk=256KiB,1MiB,4MiB,16MiB,64MiB
#: x        chunk
#: xlabel   Size of a chunk (bytes)
#: y        bandwidth
#: series   streams
#: state    size variant direction
plot @curves
