#: title    Bandwidth of a sum against the size of the array
#: kernel   reduce
#: where    offset=0 grid=resident
#: x        size
#: xlabel   Size of the array (bytes)
#: y        bandwidth
#: finding  size>=1GiB over size=16MiB: Arrays of 1 GiB and more are summed % times as fast as those of 16 MiB.
#: series   variant dtype
#: state    vector items block cache
#: baseline variant=cub_device
