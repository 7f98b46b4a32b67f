#: title    Bandwidth of records against the fields read, by layout
#: kernel   layout
#: where    vector=1 records=32
#: x        read
#: xlabel   Bytes read of each record (bytes)
#: y        bandwidth
#: law      layout_aos
#: law      layout_soa
#: derive   bytes=read*dtype.bytes
#: place    bytes
#: finding  variant=soa over variant=aos with read<=4: Up to 4 fields in arrays of their own are read % times as fast as those of an array of structures.
#: series   variant dtype
#: state    fields size cache
