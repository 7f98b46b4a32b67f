#: title    Synchronous and double-buffered streaming against the work per element
#: kernel   prefetch
#: where    variant=sync,cp_async,bulk,pipeline,pipeline_thread stages=1,2 resident=2
#: x        work
#: xlabel   Work per element (flop)
#: xscale   log2+1
#: y        bandwidth
#: finding  variant=cp_async over variant=sync with work<=64: Up to 64 operations per element, loading the next tile while the last one is used (cp_async) gives % times the bandwidth of loading it afterwards.
#: series   variant
#: state    size tile_bytes resident block cache
#: baseline variant=sync
