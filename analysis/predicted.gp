#: title    Measured over predicted time against predicted time
#: table    predicted
#: kernel   *
#: x        predicted
#: xlabel   Predicted time (ms)
#: xscale   log10
#: y        ratio
#: ylabel   Measured / predicted (ratio)
#: yscale   log10
#: series   class
#: panel    class
#: scales   own
#: draw     dots
#: line     1
#: line     1.15 +15 %
#: line     0.869565 -13 %
#: remark   Predictions know the roofs of the run, and no counters. Above 1 a point is slower than predicted; the other lines are a factor of 1.15 away. Bytes only: the model does not know which addresses are accessed, and predicts the time of the bytes at the measured peaks.
