#: title    Bus bandwidth of NCCL's collectives by size, beside copies both ways over the link
#: kernel   *
#: where    kernel=collective,peer_copy algorithm!=ring,tree,nvls in_place!=yes direction!=one_way bus_bandwidth>0
#: x        size
#: xlabel   Size (bytes)
#: y        bus_bandwidth
#: roof     none
#: series   kernel variant
#: state    gpus pair dtype cache
#: remark   Bus bandwidth is the bytes that each device sends over its link, per second, as nccl-tests defines it. The copies of peer_copy are the ceiling: each of the two devices sends to the other.
plot @curves
