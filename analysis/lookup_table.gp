#: title    Lookup bandwidth against the size of the table, random entries
#: kernel   lookup
#: where    index=random
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: yscale   log10
#: finding  variant=plain over variant=constant with table<=64KiB: Constant memory serves the different addresses of a warp one after the other: up to 64 KiB, random entries are read % times as fast from global memory.
#: finding  variant=shared over variant=plain with table>=4KiB: From 4 KiB on, shared memory serves random entries % times as fast as loads through L1.
#: series   variant
#: state    index lookups items size cache
