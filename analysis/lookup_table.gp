#: title    Lookup bandwidth against the size of the table, random entries
#: kernel   lookup
#: where    index=random
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: yscale   log10
#: series   variant
#: state    index lookups items size cache
plot @curves
