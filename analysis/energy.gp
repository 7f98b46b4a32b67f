#: title    Bandwidth against the energy of a useful bit
#: kernel   *
#: where    kernel=copy,reduce,shared_stride bytes_read>=1048576 energy_per_bit>0 fill!=zeros,ones,alternating,walking
#: derive   picojoule=1e12*energy_per_bit
#: x        picojoule
#: xlabel   Energy (pJ/bit)
#: xscale   log10
#: y        bandwidth
#: yscale   log10
#: roof     none
#: series   kernel cache
#: panel    cache
#: draw     dots
#: remark   Energy is that of the board, by its counter, in a loop of launches without pauses: it includes what the idle device takes in that time. Copies are of random bits.
