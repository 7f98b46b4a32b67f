#: title    Bandwidth of Triton's additions against BLOCK_SIZE, by warps of a program
#: kernel   triton_add
#: where    dtype=bf16
#: x        block_size
#: series   num_warps
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    rows columns dtype cache
load analysis.'/style.gp'

set xlabel 'BLOCK_SIZE (elements of a program)'
plot for [i = 1:curves] data index i - 1 using 'block_size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'block_size':@bandwidth with linespoints @curve title key_title(i)
