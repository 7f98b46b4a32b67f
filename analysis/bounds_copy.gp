#: title    Bounds of a copy by the time model, over threads per block and accesses per thread
#: kernel   copy
#: where    variant=load offset=0 stride=1 vector=1 dtype=f32 cache=cold size=1GiB hint=default bound!=none
#: x        predicted_time
#: place    items
#: xlabel   Items per thread (accesses)
#: xscale   log2
#: y        block
#: ylabel   Size of a block (threads)
#: yscale   log2
#: roof     none
#: series   bound
#: columns  items
#: draw     dots
