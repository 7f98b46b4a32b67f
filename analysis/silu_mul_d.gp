#: title    Bandwidth of silu(x) * y against the width of a row
#: kernel   silu_mul
#: where    variant=silu unroll=full pdl=off
#: x        d
#: xlabel   Width of a row, d (elements)
#: y        bandwidth
#: series   dtype
#: state    batch block cache
plot @curves
