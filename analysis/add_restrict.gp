#: title    Bandwidth of additions against accesses per thread, with and without restrict
#: kernel   add
#: where    hint=none block=256
#: x        items
#: xlabel   Items per thread (accesses)
#: y        bandwidth
#: finding  restrict=yes over restrict=no with variant=scalar items>=4: From 4 items on, restrict gives accesses of one element (scalar) % times the bandwidth of plain pointers.
#: series   variant restrict
#: contrast restrict
#: state    rows columns dtype cache
