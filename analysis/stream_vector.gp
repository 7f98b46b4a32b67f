#: title    The loops of BabelStream against the width of one access
#: kernel   stream
#: where    block=1024 items=4
#: x        vector
#: xlabel   Width of one access (elements)
#: y        bandwidth
#: series   variant dtype
#: state    size items block cache
