#: title    Rate of f32 matrix multiplications against the columns of the result
#: kernel   matmul
#: x        n
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high flop_rate
#: state    m k tile block_tile outputs cache
#: baseline variant=cublas
roof_unit = 'flop'; roof_scale = 1e12; roof_scale_name = 'TFLOP/s'
load analysis.'/style.gp'

set xlabel 'Columns of the result'
set ylabel 'Rate (TFLOP/s)'
set yrange [0:1.18 * top_flop / 1e12]
plot for [i = 1:curves] data index i - 1 using 'n':(column('flop_rate') / 1e12) with linespoints @curve title key_title(i)
