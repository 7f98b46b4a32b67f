#: title    Bandwidth of Triton's additions against BLOCK_SIZE, by warps of a program
#: kernel   triton_add
#: where    dtype=bf16
#: x        block_size
#: xlabel   BLOCK_SIZE (elements of a program)
#: y        bandwidth
#: series   num_warps
#: state    rows columns dtype cache
