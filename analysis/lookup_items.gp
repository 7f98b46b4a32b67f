#: title    Lookup bandwidth against items per thread: cost of aliasing
#: kernel   lookup
#: where    variant=plain,restrict,ldg indices=array lookups=1
#: x        items
#: xlabel   Items per thread
#: y        bandwidth
#: finding  variant=ldg,restrict over variant=plain with items>1: With more than 1 item per thread, restrict and ldg have % times the bandwidth of plain loads.
#: series   variant index
#: state    table size cache
