#: title    Bandwidth of additions of f32 against the width of one access, by size of a block
#: kernel   add
#: where    variant=vector vector=2,4,8 restrict=yes hint=none items=1
#: derive   access=vector*dtype.bytes
#: x        vector
#: place    access
#: xlabel   Width of one access (bytes)
#: xscale   log2
#: y        bandwidth
#: series   block
#: state    rows columns dtype cache
