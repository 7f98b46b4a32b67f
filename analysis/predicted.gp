#: title    Measured against predicted time, with a band of 15 %
#: kernel   *
#: where    backend=cuda
#: x        predicted_time
#: xlabel   Predicted (s)
#: xscale   log10
#: y        time_median
#: ylabel   Measured (s)
#: yscale   log10
#: series   kernel
#: draw     dots
#: remark   Above the line a point is slower than predicted; thin lines mark 15 %.
set samples 2
plot x with lines linecolor rgb palette_grey linewidth 0.8 dashtype 3 notitle, \
     x * 1.15 with lines linecolor rgb palette_grey linewidth 0.5 notitle, \
     x / 1.15 with lines linecolor rgb palette_grey linewidth 0.5 notitle, @dots
