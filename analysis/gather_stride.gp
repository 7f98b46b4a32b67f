#: title    Gather bandwidth against the stride of the indices
#: kernel   gather
#: where    variant=strided
#: x        stride
#: xlabel   Stride of the indices (elements)
#: y        bandwidth
#: law      gather_strided
#: series   dtype
#: state    size index_dtype items cache
plot @curves
