#: title    Sectors (shared memory: wavefronts) per request: counted against predicted by the access model
#: table    model
#: kernel   *
#: x        predicted
#: xlabel   Predicted (per request)
#: xscale   log2
#: y        counted
#: ylabel   Counted (per request)
#: yscale   log2
#: series   access
#: draw     dots
#: remark   On the line, counters and model agree.
set samples 2
plot x with lines linecolor rgb palette_grey linewidth 0.8 dashtype 3 notitle, @dots
