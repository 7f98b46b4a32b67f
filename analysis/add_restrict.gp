#: title    Bandwidth of additions against accesses per thread, with and without restrict
#: kernel   add
#: where    hint=none block=256
#: x        items
#: xlabel   Items per thread (accesses)
#: y        bandwidth
#: finding  restrict=yes over restrict=no with variant=scalar items>=4: With restrict, the loads of a thread need not wait for its stores: % times the bandwidth of plain pointers, from 4 items on.
#: series   variant restrict
#: contrast restrict
#: state    rows columns dtype cache
