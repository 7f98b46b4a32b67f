#: title    Lookup bandwidth against lookups per thread: cost of aliasing
#: kernel   lookup
#: where    variant=plain,restrict,ldg indices=array lookups=1
#: x        items
#: xlabel   Items per thread (lookups)
#: y        bandwidth
#: series   variant index
#: state    table size cache
plot @curves
