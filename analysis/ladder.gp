#: title    Rates of square matrix products against their side, from a naive kernel in f32 to the vendor's in bf16
#: kernel   *
#: where    kernel=matmul,tensor_matmul k>128
#: x        n
#: xlabel   Side of the matrices (elements)
#: y        flop_rate
#: series   kernel variant stages persistent group cluster
#: panel    kernel
#: scales   own
#: state    dtype cache
plot @curves
