#: title    Lookup bandwidth against the size of the table, by the share of L1 that is shared memory
#: kernel   lookup
#: where    index=random variant=restrict
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: yscale   log10
#: finding  carveout=0 over carveout=100 with table>=64KiB: From 64 KiB on, lookups with the smallest share of shared memory are % times as fast as with the largest.
#: series   carveout
#: contrast carveout
#: state    index lookups items size cache
