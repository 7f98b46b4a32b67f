#: title    Copy bandwidth against the threads of a block, by width of access
#: kernel   copy
#: where    variant=load stride=1 offset=0 items=1
#: x        block
#: xlabel   Size of a block (threads)
#: y        bandwidth
#: finding  vector=4 over vector=1: One access of four elements gives % times the bandwidth of an access of one.
#: series   vector
#: state    dtype size cache
