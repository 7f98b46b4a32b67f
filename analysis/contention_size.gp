#: title    Messages between GPUs at the same time, by size and pattern
#: kernel   contention
#: where    beside=none
#: x        size
#: xlabel   Size of a message (bytes)
#: y        bandwidth
#: series   variant pattern
#: panel    pattern
#: state    gpus shift blocks cache
#: remark   The bandwidth is that of all messages together.
