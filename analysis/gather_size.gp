#: title    Gather bandwidth against the size of the array
#: kernel   gather
#: where    stride=1
#: x        size
#: xlabel   Size of the array (bytes)
#: y        bandwidth
#: derive   of_l2=size/device.l2_bytes
#: rule     device.l2_bytes L2:
#: finding  variant=linear over variant=random with of_l2>=4: Out of an array of at least 4 times the size of L2, elements in order are read % times as fast as at random.
#: series   variant cache
#: state    dtype index_dtype items
