#: title    Bandwidth of records against the fields read, by layout
#: kernel   layout
#: where    vector=1 records=32
#: x        read
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    fields size cache
load analysis.'/style.gp'

set xlabel 'Fields read of each record'
plot for [i = 1:curves] data index i - 1 using 'read':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'read':@bandwidth with linespoints @curve title key_title(i)
