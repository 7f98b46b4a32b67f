#: title    Bandwidth of records against the fields read, by layout
#: kernel   layout
#: where    vector=1 records=32
#: x        read
#: xlabel   Width read of each record (fields)
#: y        bandwidth
#: law      layout_aos
#: law      layout_soa
#: series   variant dtype
#: state    fields size cache
plot @curves
