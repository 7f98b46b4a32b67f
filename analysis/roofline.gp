#: title    Arithmetic rate against arithmetic intensity, with measured roofs
#: table    roofline
#: kernel   *
#: x        intensity
#: xlabel   Arithmetic intensity (flop/byte)
#: xscale   log10
#: y        rate
#: ylabel   Rate (TFLOP/s)
#: yscale   log10
#: series   kernel
#: columns  lined
#: draw     dots
#: line     fp16 FP16
#: line     fp32 FP32
#: line     fp64 FP64
#: remark   Marks: the fastest point of a family at an intensity, without products of tensor cores. Slopes: measured bandwidth of DRAM copies, L2 copies and shared memory reads, up to the FP32 rate. Rates of arithmetic in TFLOP/s.
