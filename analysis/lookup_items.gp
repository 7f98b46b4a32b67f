#: title    Lookup bandwidth against lookups per thread: what aliasing costs
#: kernel   lookup
#: where    variant=plain,restrict,ldg lookups=1
#: x        items
#: series   variant index
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    table size cache
load analysis.'/style.gp'

set xlabel 'Lookups per thread'
plot for [i = 1:curves] data index i - 1 using 'items':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'items':@bandwidth with linespoints @curve title key_title(i)
