#: title    Bandwidth of additions against the columns, by width of access
#: kernel   add
#: where    dtype=f32,f16 restrict=yes hint=none items=1 block=256
#: x        columns
#: xlabel   Columns (elements)
#: y        bandwidth
#: series   variant dtype
#: state    rows cache
plot @curves
