#: title    Lookup bandwidth against the size of the table, down its columns: linear memory and a two-dimensional texture
#: kernel   lookup
#: where    index=column
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: series   variant
#: state    index lookups items size cache
plot @curves
