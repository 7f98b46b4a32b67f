#: title    Lookup bandwidth against the size of the table, by the share of L1 that is shared memory
#: kernel   lookup
#: where    index=random variant=restrict
#: x        table
#: series   carveout
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    index lookups items size cache
peak_side = 'left'
load analysis.'/style.gp'

set xlabel 'Size of the table'
set format x '%.0b %BB'
plot for [i = 1:curves] data index i - 1 using 'table':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'table':@bandwidth with linespoints @curve title key_title(i)
