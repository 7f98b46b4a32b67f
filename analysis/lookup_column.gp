#: title    Lookup bandwidth against the size of the table, down its columns: linear memory and a two-dimensional texture
#: kernel   lookup
#: where    index=column
#: x        table
#: xlabel   Size of the table (bytes)
#: y        bandwidth
#: yscale   log10
#: finding  variant=texture2d over variant=restrict: Down the columns, a two-dimensional texture is read % times as fast as linear memory.
#: series   variant
#: state    index lookups items size cache
