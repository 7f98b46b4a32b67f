#: title    What is counted beyond what the access model predicts, per request
#: table    residuals
#: kernel   *
#: x        predicted
#: xlabel   Predicted (per request)
#: xscale   log2
#: y        residual
#: ylabel   Counted beyond predicted (%)
#: yscale   linear
#: series   access kernel
#: panel    access
#: draw     dots
#: line     0
plot @dots
