#: title    Lookup bandwidth against the size of the table, by the share of L1 that is shared memory
#: kernel   lookup
#: where    index=random variant=restrict
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: series   carveout
#: contrast carveout
#: state    index lookups items size cache
plot @curves
