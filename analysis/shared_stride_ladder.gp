#: title    Bandwidth of shared memory against the wavefronts of a request: bank conflicts
#: kernel   shared_stride
#: where    variant=read stride>0
#: x        stride
#: xlabel   Wavefronts per request, by the access model (wavefronts)
#: xscale   log2
#: y        bandwidth
#: yscale   log10
#: law      shared_stride
#: place    predicted_shared_load_wavefronts_per_request
#: series   variant width
#: state    block blocks rounds cache
