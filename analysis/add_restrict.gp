#: title    Bandwidth of additions against accesses per thread, with and without restrict
#: kernel   add
#: where    hint=none block=256
#: x        items
#: xlabel   Items per thread (accesses)
#: y        bandwidth
#: series   variant restrict
#: contrast restrict
#: state    rows columns dtype cache
plot @curves
