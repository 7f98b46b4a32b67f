#: title    Host to device in chunks over streams, with a kernel between
#: kernel   host_copy
#: where    variant=overlapped direction=h2d chunk=256KiB,1MiB,4MiB,16MiB,64MiB
#: x        chunk
#: xlabel   Size of a chunk (bytes)
#: y        bandwidth
#: finding  streams=2 over streams=1 with chunk<=4MiB: For chunks of up to 4 MiB, two streams give % times the bandwidth of one.
#: series   streams
#: state    size variant direction
