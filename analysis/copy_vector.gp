#: title    Copy bandwidth against the width of one access
#: kernel   copy
#: where    variant=load stride=1 offset=0
#: derive   access=vector*dtype.bytes
#: x        vector
#: place    access
#: xlabel   Width of one access (bytes)
#: xscale   log2
#: y        bandwidth
#: finding  access=16 over access=4: An access of 16 bytes gives % times the bandwidth of one of 4, whatever the type.
#: series   dtype
#: state    size cache
