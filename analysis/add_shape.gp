#: title    Bandwidth of additions against the columns, by width of access
#: kernel   add
#: where    dtype=f32,f16 restrict=yes hint=none items=1 block=256
#: x        columns
#: xlabel   Columns (elements)
#: y        bandwidth
#: finding  variant=vector over variant=scalar with dtype=f32: Additions of f32 with accesses of several elements have % times the bandwidth of those with accesses of one.
#: series   variant dtype
#: state    rows cache
