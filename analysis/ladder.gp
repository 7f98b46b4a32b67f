#: title    Rates of matrix products, step by step from a naive kernel in f32 to the library in bf16
#: table    ladder
#: kernel   *
#: x        end
#: xlabel   Rate (TFLOP/s)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Step (name)
#: interval start end rate
#: series   class
#: draw     areas
#: remark   Each step adds to the one above it. All are of one size, which most of them have in the file.
