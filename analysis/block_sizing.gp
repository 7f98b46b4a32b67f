#: title    Copy bandwidth against the threads of a block, by width of access
#: kernel   copy
#: where    variant=load stride=1 offset=0 items=1
#: x        block
#: xlabel   Size of a block (threads)
#: y        bandwidth
#: series   vector
#: state    dtype size cache
plot @curves
