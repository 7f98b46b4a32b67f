#: title    Bus bandwidth of NCCL's sum over all devices by size, by algorithm and protocol
#: kernel   collective
#: where    variant=all_reduce in_place=no launch!=back_to_back
#: x        size
#: xlabel   Size (bytes)
#: y        bus_bandwidth
#: roof     none
#: yscale   log10
#: panel    algorithm
#: series   algorithm protocol
#: contrast algorithm
#: state    gpus dtype cache
