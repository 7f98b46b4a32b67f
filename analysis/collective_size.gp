#: title    Bus bandwidth of NCCL's collectives by size, beside copies both ways over the link
#: kernel   *
#: where    kernel=collective,peer_copy launch!=back_to_back cache!=rotate variant!=load,bulk_load,bulk_store dtype!=u8,i32,i64,f16,bf16,f64,e4m3,e5m2 in_place!=yes algorithm!=ring,tree,nvls protocol!=ll,ll128,simple direction!=one_way blocks!=1..1024 width!=1..8,32 bus_bandwidth>0
#: x        size
#: xlabel   Size (bytes)
#: y        bus_bandwidth
#: roof     none
#: series   kernel variant
#: panel    kernel
#: state    gpus pair dtype cache
#: remark   Bus bandwidth is the bytes that each device sends over its link, per second, as nccl-tests defines it. The copies of peer_copy are the ceiling: each of the two devices sends to the other.
