#: title    Rates of matrix products against the columns of the result, from a naive kernel in f32 to the library in bf16
#: kernel   *
#: where    kernel=matmul,tensor_matmul k>128
#: x        n
#: xlabel   Columns of the result (elements)
#: y        flop_rate
#: series   kernel variant stages persistent group cluster
#: panel    kernel
#: scales   own
#: state    m k dtype cache
plot @curves
