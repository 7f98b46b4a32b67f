#: title    Bandwidth of transpositions against the columns, by way through shared memory
#: kernel   transpose
#: where    dtype=f32
#: x        columns
#: xlabel   Columns (elements)
#: y        bandwidth
#: series   variant
#: state    rows tile cache
#: baseline variant=cublas
plot @curves
