#: title    Rate of f32 matrix multiplications against the columns of the result
#: kernel   matmul
#: x        n
#: xlabel   Columns of the result (elements)
#: y        flop_rate
#: finding  variant=register over variant=tiled with n>=1024: From 1024 columns on, blocks in registers give % times the rate of tiles in shared memory alone.
#: series   variant
#: state    m k tile block_tile outputs cache
#: baseline variant=cublas
