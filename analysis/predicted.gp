#: title    Measured against predicted time, with a band of 15 %
#: table    predicted
#: kernel   *
#: x        predicted
#: xlabel   Predicted (ms)
#: xscale   log10
#: y        measured
#: ylabel   Measured (ms)
#: yscale   log10
#: series   class
#: draw     dots
#: remark   Above the line a point is slower than predicted; thin lines mark 15 %. Without addresses the model knows only the bytes, and its prediction is a lower bound.
#: also     x with lines lc rgb '#555555' lw 0.8 dt 3 notitle
#: also     x * 1.15 with lines lc rgb '#555555' lw 0.5 notitle
#: also     x / 1.15 with lines lc rgb '#555555' lw 0.5 notitle
