#: title    Bandwidth of additions against the columns, by width of access
#: kernel   add
#: where    dtype=f32,f16 restrict=yes hint=none items=1 block=256
#: x        columns
#: xlabel   Columns (elements)
#: y        bandwidth
#: finding  variant=vector over variant=scalar with dtype=f32: With accesses of several elements, additions of f32 have % times the bandwidth.
#: series   variant dtype
#: state    rows cache
