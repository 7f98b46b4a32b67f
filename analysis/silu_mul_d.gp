#: title    Bandwidth of silu(x) * y against the width of a row
#: kernel   silu_mul
#: where    variant=silu unroll=full pdl=off
#: x        d
#: xlabel   Width of a row, d (elements)
#: y        bandwidth
#: finding  d=512 over d=1003 with dtype=f16,bf16,e4m3: In types of one or two bytes, rows of 512 elements have % times the bandwidth of rows of 1003.
#: series   dtype
#: state    batch block cache
