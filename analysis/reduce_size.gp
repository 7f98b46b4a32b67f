#: title    Bandwidth of a sum of f32 against the size of the array
#: kernel   reduce
#: where    offset=0 grid=resident variant=shuffle,cub_device dtype=f32
#: x        size
#: xlabel   Size of the array (bytes)
#: y        bandwidth
#: finding  size>=1GiB over size=16MiB: Arrays of 1 GiB and more are summed % times as fast as those of 16 MiB.
#: series   variant
#: state    dtype vector items block cache
#: baseline variant=cub_device
