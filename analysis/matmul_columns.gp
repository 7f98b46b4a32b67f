#: title    Rate of f32 matrix multiplications against the columns of the result
#: kernel   matmul
#: x        n
#: xlabel   Columns of the result (elements)
#: y        flop_rate
#: series   variant
#: state    m k tile block_tile outputs cache
#: baseline variant=cublas
plot @curves
