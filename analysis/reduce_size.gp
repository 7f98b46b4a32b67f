#: title    Bandwidth of a sum against the size of the array
#: kernel   reduce
#: where    offset=0 grid=resident
#: x        size
#: xlabel   Size of the array (bytes)
#: y        bandwidth
#: law      read_once
#: series   variant dtype
#: state    vector items block cache
#: baseline variant=cub_device
