#: title    Lookup bandwidth against the size of the table, random entries
#: kernel   lookup
#: where    index=random
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: yscale   log10
#: finding  variant=plain over variant=constant with table<=64KiB: Up to 64 KiB, random entries are read % times as fast from global memory as from constant memory.
#: finding  variant=shared over variant=plain with table>=4KiB: From 4 KiB on, random entries are read % times as fast from shared memory as from global memory.
#: series   variant
#: state    index lookups items size cache
