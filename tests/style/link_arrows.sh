#!/bin/sh
# link_arrows.sh WARPSWEEP WORKER [LIBRARY] - warpsweep starts without CUDA, the worker without MPI and HDF5; warpsweep needs no libraries but those listed here.
command -v objdump >/dev/null || { echo "no objdump: skipped"; exit 77; }
bad=0

# refuse PROGRAM LIBRARIES: the program asks the loader for none of them.
refuse() {
    needed=$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }')
    [ -n "$needed" ] || { echo "$1: no shared libraries at all? the check is blind"; bad=1; }
    wrong=$(echo "$needed" | grep -E "^lib($2)")
    if [ -n "$wrong" ]; then
        echo "$1 is linked against" $wrong
        bad=1
    fi
}
# require PROGRAM LIBRARY: what it must have, so that the check cannot pass on the wrong file.
require() {
    objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep >/dev/null -E "^lib$2" || { echo "$1 lacks lib$2"; bad=1; }
}
# only PROGRAM LIBRARIES: it needs these and the system's own, and no others.
only() {
    others=$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep -vE "^(lib($2|c|m|dl|rt|pthread)|ld-linux[-a-z0-9_]*)[-.]")
    [ -z "$others" ] || { echo "$1 needs more than it should:" $others; bad=1; }
}
only "$1" 'mpi|mpich|hwloc|yaml|hdf5|hdf5_[a-z]*|z'
refuse "$1" 'cuda|nvrtc|nvidia|cupti|cublas'
require "$1" 'mpi'
require "$1" 'hdf5'
for worker in "$2" ${3:+"$3"}; do # the same as a program and as a library
    refuse "$worker" 'mpi|open-rte|open-pal|hdf5|yaml|cuda\.|nvidia-ml|cudart|python'
    require "$worker" 'c\.'
done
exit $bad
