#: title    Rates of matrix products, step by step from a naive kernel to the library
#: table    steps
#: kernel   *
#: x        rate
#: xlabel   Rate (TFLOP/s)
#: xscale   log10
#: y        place
#: names    kernel
#: ylabel   Step
#: series   class
#: state    dtype m n k cache
#: draw     across
#: interval rate_low rate_high 95_%_intervals_of_the_median_time
#: remark   Our steps of a class follow the order of development; those that were not measured are left out. Libraries' kernels stand beside them.
# Name, class and conditions of each step. The first line is of all steps that do not name the axis: such products compute
# something else, or stand beside the ladder.
#: step     * | * | copy!=tma sparse!=on scale!=e8m0 promote!=1..16 dtype_c!=f32 data!=whole,ones,zeros
#: step     naive | f32 | kernel=matmul variant=naive
#: step     tiled | f32 | kernel=matmul variant=tiled tile=32
#: step     registers, 2 x 2 | f32 | kernel=matmul variant=register slice=8 block_tile=64 outputs=2
#: step     16-byte accesses, 8 x 8 | f32 | kernel=matmul variant=register slice=8 block_tile=128 outputs=8
#: step     cp.async | f32 | kernel=matmul stages=4 split=1 variant=cp_async tile_shape=128x128 slice=16 group=8
#: step     TMA | f32 | kernel=matmul stages=4 split=1 variant=tma tile_shape=128x128 slice=16 group=8
#: step     tiles of 128 x 256 | f32 | kernel=matmul stages=4 split=1 variant=tma tile_shape=128x256 group=16
#: step     cuBLAS | f32, library | kernel=matmul variant=cublas
#: step     cuBLASLt | f32, library | kernel=matmul variant=cublaslt
#: step     mma | bf16 | kernel=tensor_matmul dtype=bf16 variant=mma tile_shape=128x256 group=8
#: step     mma, TMA | bf16 | kernel=tensor_matmul dtype=bf16 variant=mma tile_shape=128x256 group=16 copy=tma
#: step     wgmma, 1 stage | bf16 | kernel=tensor_matmul dtype=bf16 variant=wgmma stages=1 persistent=off group=1 cluster=1
#: step     specialised, 4 stages | bf16 | kernel=tensor_matmul dtype=bf16 variant=wgmma stages=4 persistent=off group=1 cluster=1
#: step     persistent | bf16 | kernel=tensor_matmul dtype=bf16 variant=wgmma stages=4 persistent=on group=1 cluster=1
#: step     groups of 8 rows | bf16 | kernel=tensor_matmul dtype=bf16 variant=wgmma stages=4 persistent=on group=8 cluster=1
#: step     multicast | bf16 | kernel=tensor_matmul dtype=bf16 variant=wgmma stages=4 persistent=on group=8 cluster=2
#: step     tcgen05, 1 stage | bf16 | kernel=tensor_matmul dtype=bf16 variant=tcgen05 tile_shape=128x256 stages=1 persistent=off group=1 cluster=1
#: step     tcgen05, 4 stages | bf16 | kernel=tensor_matmul dtype=bf16 variant=tcgen05 tile_shape=128x256 stages=4 persistent=off group=1 cluster=1
#: step     tcgen05, persistent | bf16 | kernel=tensor_matmul dtype=bf16 variant=tcgen05 tile_shape=128x256 stages=4 persistent=on group=1 cluster=1
#: step     tcgen05, groups of 8 rows | bf16 | kernel=tensor_matmul dtype=bf16 variant=tcgen05 tile_shape=128x256 stages=4 persistent=on group=8 cluster=1
#: step     tcgen05, pairs of SMs | bf16 | kernel=tensor_matmul dtype=bf16 variant=tcgen05 tile_shape=128x256 stages=4 persistent=on group=8 cluster=2
#: step     tcgen05, 6 stages | bf16 | kernel=tensor_matmul dtype=bf16 variant=tcgen05 tile_shape=128x256 stages=6 persistent=on group=8 cluster=2
#: step     cuBLASLt, bf16 | bf16, library | kernel=tensor_matmul dtype=bf16 variant=cublaslt
