#: title    Bandwidth against the bytes in flight per multiprocessor
#: kernel   prefetch
#: where    variant=cp_async,bulk,tensor stages=3 resident=1 work=0
#: x        tile_bytes
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high stages resident
#: state    size stages resident block cache
load analysis.'/style.gp'

# Stages x tile x resident blocks: every block asks for all of its stages before it touches the first.
in_flight = "(column('tile_bytes') * column('stages') * column('resident'))"
set xlabel 'Bytes in flight per multiprocessor'
set format x '%.0b %BB'
set xtics 4
plot for [i = 1:curves] data index i - 1 using @in_flight:@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using @in_flight:@bandwidth with linespoints @curve title key_title(i)
