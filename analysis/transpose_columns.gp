#: title    Transpositions as a share of their roof, against the columns
#: kernel   transpose
#: where    dtype=f32
#: x        columns
#: xlabel   Columns (elements)
#: y        fraction_peak
#: finding  variant=vectorized over variant=tma: Transposing with wide accesses is % times as fast as with TMA.
#: series   variant
#: line     100 roof
#: state    rows tile cache
#: baseline variant=cublas
