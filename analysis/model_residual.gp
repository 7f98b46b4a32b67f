#: title    Counts per request in excess of the access model's prediction
#: table    residuals
#: kernel   *
#: x        predicted
#: xlabel   Predicted (per request)
#: xscale   log2
#: y        residual
#: ylabel   Counted beyond predicted (%)
#: yscale   linear
#: series   access
#: draw     dots
#: line     0
