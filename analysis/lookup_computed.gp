#: title    Lookup bandwidth against items per thread, for computed indices: element modulo the entries of the table
#: kernel   lookup
#: where    variant=plain,restrict,ldg indices=computed lookups=1
#: x        items
#: xlabel   Items per thread
#: y        bandwidth
#: finding  items>=4 over items=1: From 4 items per thread on, the bandwidth is % times that of one.
#: series   variant
#: state    table size indices cache
