#: title    Bandwidth of block sums from L2: shuffles against shared memory
#: kernel   reduce
#: where    grid=cover cache=hot vector=1 items=1
#: x        size
#: xlabel   Size of the array (bytes)
#: y        bandwidth
#: yscale   log10
#: roof     none
#: finding  variant=shuffle over variant=shared_tree: Sums by shuffles are % times as fast as by shared memory.
#: series   variant dtype
#: state    grid vector items block cache
#: remark   Each block sums one element per thread, and ends with one atomic operation on a counter that all blocks share.
