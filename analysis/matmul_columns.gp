#: title    Rate of f32 matrix multiplications against the columns of the result
#: kernel   matmul
#: x        n
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high flop_rate
#: state    m k tile block_tile outputs cache
#: baseline variant=cublas
load analysis.'/style.gp'

# The copy bandwidth says nothing about a rate of operations.
do for [s = 1:sources] {
    if (is_known(peak_copy[s])) {
        unset arrow 200 + s
        unset label 200 + s
    }
}
set xlabel 'Columns of the result'
set ylabel 'Rate (TFLOP/s)'
set yrange [0:*]
plot for [i = 1:curves] data index i - 1 using 'n':(column('flop_rate') / 1e12) with linespoints @curve title key_title(i)
