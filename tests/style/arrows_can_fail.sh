#!/bin/sh
# arrows_can_fail.sh PYTHON SCRIPT COMPILER MODULES - the check of arrows notices each kind of wrong arrow.
python=$1 script=$2 compiler=$3 modules=$4
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/cmake" "$root/kernels" "$root/build/CMakeFiles/part.dir/src"
cp "$modules" "$root/cmake/modules.txt"
for folder in $(sed -n 's/^\([a-z_/]*\):.*/\1/p' "$modules"); do
    mkdir -p "$root/src/$folder" "$root/build/CMakeFiles/part.dir/src/$folder"
    touch "$root/src/$folder/room.h"
    echo '#include "base/room.h"' >"$root/src/$folder/fine.c"
done
check() { "$python" "$script" "$root" "$@"; }
check || { echo "complains about a tree that is right"; exit 1; }

# must_fail FILE INCLUDE
must_fail() {
    echo "#include $2" >"$root/$1"
    ! check >/dev/null || { echo "does not notice $2 in $1"; exit 1; }
    rm "$root/$1"
}
must_fail src/base/wrong.c '"core/room.h"'
must_fail src/base/wrong.h '"statistics/room.h"'
must_fail src/family/wrong.c '"family/access/room.h"'
must_fail src/family/access/wrong.cpp '"family/code/room.h"'
must_fail src/store/wrong.c '"toolkit/room.h"'
must_fail src/coordinator/schedule/wrong.c '"coordinator/state/room.h"'
must_fail src/runner/wrong.c '"coordinator/room.h"'
must_fail src/toolkit/wrong.c '"store/room.h"'
must_fail src/worker/host/wrong.c '"worker/cuda/room.h"'
must_fail src/cli/wrong.c '"worker/room.h"'
must_fail kernels/wrong.cuh '"worker/room.h"'
must_fail src/unknown.c '"base/room.h"'
must_fail src/cli/wrong.cpp '<mpi.h>'
must_fail kernels/wrong.c '<cuda_runtime_api.h>'
must_fail src/launch/wrong.c '<hdf5.h>'
must_fail src/worker/wrong.c '<nvrtc.h>'
must_fail src/worker/wrong.h '  <hwloc.h>'

# object MODULE/NAME TEXT: a source and its object
object() {
    echo "$2" >"$root/src/$1.c"
    "$compiler" -c "$root/src/$1.c" -o "$root/build/CMakeFiles/part.dir/src/$1.c.o" || exit 1
}
object store/a 'int b(void); int a(void); int a(void) { return b(); }'
object base/b 'int b(void); int b(void) { return 1; }'
check "$root/build" || { echo "complains about symbols that may be used"; exit 1; }
object base/b 'int c(void); int b(void); int b(void) { return c(); }'
object store/c 'int c(void); int c(void) { return 1; }'
said=$(check "$root/build") && { echo "does not notice a symbol of a module above"; exit 1; }
echo "$said" | grep >/dev/null 'src/base/b.c uses symbols of src/store/c.c' || { echo "does not name it: $said"; exit 1; }
object base/b 'int d(void); int b(void); int b(void) { return d(); }'
object base/d 'int b(void); int d(void); int d(void) { return b(); }'
said=$(check "$root/build") && { echo "does not notice a circle"; exit 1; }
echo "$said" | grep >/dev/null 'src/base/b.c uses src/base/d.c' || { echo "does not name it: $said"; exit 1; }
! echo "$said" | grep >/dev/null 'src/store/a.c uses' || { echo "store/a is in no circle"; exit 1; }
rm "$root/src/base/d.c" # its object is left over
check "$root/build" || { echo "counts objects of sources that are gone"; exit 1; }
