#: title    Error of matrix products on tensor cores against the length of the sums
#: kernel   tensor_matmul
#: where    data=random dtype=bf16,f32,e4m3
#: x        k
#: xlabel   Length of a sum (products)
#: xscale   log2
#: y        error_rms
#: ylabel   Error (of the root mean square)
#: yscale   log10
#: roof     none
#: series   dtype variant promote
#: panel    dtype
#: scales   own
#: contrast k
#: baseline variant=cublaslt
#: state    m n dtype_c
#: finding  promote=0 over promote=1 with dtype=e4m3 variant=wgmma: Adding the sums of fp8 in f32 after every 128 products lowers their error by a factor of %.
#: remark   The error is the root mean square of the differences to sums in f64, divided by that of the sums.
