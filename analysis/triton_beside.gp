#: title    Bandwidth of additions against the threads of a block, Triton's beside ours
#: kernel   *
#: where    kernel=add,triton_add dtype=bf16 rows=4096
#: x        block_threads
#: series   kernel variant block_size
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    rows columns dtype cache
load analysis.'/style.gp'

set xlabel 'Threads of a block (4096 rows of bf16)'
set logscale x 2
plot for [i = 1:curves] data index i - 1 using 'block_threads':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'block_threads':@bandwidth with points @curve title key_title(i)
