#: title    Gather bandwidth against the size of the array
#: kernel   gather
#: where    stride=1
#: x        size
#: xlabel   Size of the array (bytes)
#: y        bandwidth
#: series   variant cache
#: state    dtype index_dtype items
plot @curves
