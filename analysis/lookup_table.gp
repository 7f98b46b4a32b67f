#: title    Lookup bandwidth against the size of the table, random entries
#: kernel   lookup
#: where    index=random
#: x        table
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    index lookups items size cache
load analysis.'/style.gp'

set xlabel 'Size of the table'
set format x '%.0b %BB'
plot for [i = 1:curves] data index i - 1 using 'table':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'table':@bandwidth with linespoints @curve title key_title(i)
