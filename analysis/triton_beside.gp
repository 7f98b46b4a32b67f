#: title    Bandwidth of additions of 4096 rows of bf16 against threads per block: Triton and warpsweep
#: kernel   *
#: where    kernel=add,triton_add dtype=bf16 rows=4096
#: x        block_threads
#: xlabel   Size of a block (threads)
#: xscale   log2
#: y        bandwidth
#: series   kernel variant block_size
#: draw     dots
#: state    rows columns dtype cache
