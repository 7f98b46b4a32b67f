# user_code.sh WARPSWEEP, with BUILD, CMAKE, CC and MAKE_CODE in the environment: a family whose code is cubins and PTX.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
example=$here/../../examples/family

"$CMAKE" --install "$BUILD" --prefix "$folder/prefix" --component headers >log 2>&1 || fail "no headers installed"
"$CC" -std=gnu17 -shared -fPIC -I "$folder/prefix/include/warpsweep" "$example/triad.c" -o triad.so 2>log ||
    fail "triad.c does not build"

# code ARCHITECTURE FILE TYPE BYTES VARIANT: of triad.cu. Without a CUDA Toolkit a file that nobody can run.
code() {
    if [ -z "$MAKE_CODE" ]; then
        echo "no code" >"$2"
        return
    fi
    "$MAKE_CODE" "$example/triad.cu" "$1" "$2" -DBLOCK=256 "-Dvariant_$5=1" "-DELEMENT=$3" "-DELEMENT_SIZE=$4" >log 2>&1 ||
        fail "make_code"
}
mkdir given given/code
cp triad.so given
code sm_90 given/code/f32.cubin float 4 plain
code sm_90 given/code/f64.cubin double 8 plain
code sm_80 given/code/old.cubin float 4 plain
code compute_80 given/code/f32.ptx float 4 restrict
cat >given/triad.code <<'LIST'
# A comment, and an empty line

variant=plain    dtype=f32 block=256 | sm_90      | code/f32.cubin | entry=triad_kernel shared=0 threads=256
variant=plain    dtype=f64 block=256 | sm_90      | code/f64.cubin
variant=restrict dtype=f32 block=256 | compute_80 | code/f32.ptx   | threads=256
LIST
job '{cache: hot, max_time: 20ms, min_samples: 3, max_samples: 20, replicates: 1}' <<'JOB'
  - kernel: triad
    axes: {variant: [plain, restrict], dtype: [f32, f64], size: [64KiB, 1MiB], block: [256, 512]}
  - kernel: copy
    axes: {size: 64KiB}
JOB

"$WARPSWEEP" kernels triad --kernels given >log 2>&1 || fail "kernels does not show"
logged 'Machine code: .*/given/triad.code, 3 files'

# Its reference runs where there is no GPU and what has no code is unsupported.
for backend in host fake; do
    launch 0 1 -o $backend.h5 --backend $backend --kernels given
    expect "ok" "$(points $backend.h5 --where status=ok --where kernel=triad)" 6
    expect "unsupported" "$(points $backend.h5 --where status=unsupported)" 10
    rows $backend.h5 message --where status=unsupported >log
    expect "no such block" "$(grep -c 'triad.code has no code for block=512' log)" 8
    expect "no such combination" "$(grep -c 'triad.code has no code for native with these settings' log)" 2
done
# The file knows of which code it is.
cp -r given other
echo >>other/code/f64.cubin
cp host.h5 before.h5
launch 3 1 -o host.h5 --backend host --kernels other --resume
logged "code of triad"
cmp -s host.h5 before.h5 || fail "a refused resume changed the file"
launch 0 1 -o host.h5 --backend host --kernels given --resume

rows host.h5 time_median,verified --where status=ok |
    awk '!($1 > 0 && $2 > 0) { bad = 1 } END { exit bad }' || fail "a point was not timed or not verified"

# list TEXT SED-SCRIPT: the list, changed, is refused by all three commands, with line and column.
list() {
    rm -rf changed
    cp -r given changed
    sed "$2" given/triad.code >changed/triad.code
    ! cmp -s changed/triad.code given/triad.code || fail "$2 changes nothing"
    refused "changed/triad.code:$1" check job.yaml --kernels changed
    refused "changed/triad.code:$1" kernels --kernels changed
    refused "changed/triad.code:$1" run job.yaml -o no.h5 --kernels changed
    [ ! -e no.h5 ] || fail "a run without code wrote results"
}
list "3:53: cannot read file .*changed/code/f31.cubin" 3s/f32.cubin/f31.cubin/
list "3:24: .*'f23'.*did you mean 'f16'" 3s/dtype=f32/dtype=f23/
list "3:18: triad has no axis 'type'" 3s/dtype=/type=/
list "3:1: a value of the compiled axis 'block' is expected" '3s/block=256//'
list "3:28: this axis is not compiled" '3s/block=256/size=256/'
list "3:28: the axis 'dtype' is given twice" 3s/block=256/dtype=f64/
list "3:28: 'block256' is not NAME=VALUE" 3s/block=/block/
list "4:40: unknown architecture 'native'; expected, for example, sm_90a" 4s/sm_90/native/
list "4:1: these settings have code already, in line 3" 4s/f64/f32/
list "4:1: expected SETTINGS | ARCHITECTURE | FILE" '4s/sm_90 *| //'
list "3:70: 'entree' is unknown; expected entry, shared or threads" 3s/entry/entree/
list "3:99: shared is 'none'; expected a whole number" 's/entry=triad_kernel shared=0/entry=triad_kernel    shared=none/'
list " empty list" '3,$d'
cp "$example/triad.cu" given
refused 'there are both .*/triad.cu and .*/triad.code beside it; expected one of them' kernels --kernels given
rm given/triad.cu

if [ -z "$MAKE_CODE" ]; then
    echo "built without a CUDA Toolkit: nothing looks into the code"
    exit 0
fi

# What the files hold is looked into where kernels of others are compiled.
"$WARPSWEEP" check job.yaml --kernels given --arch sm_90a >log 2>&1 || fail "check --arch sm_90a"
logged 'sm_90a: all 4 kernels compile'
"$WARPSWEEP" check job.yaml --kernels given --arch sm_100 >log 2>&1 || fail "check --arch sm_100"
logged 'unsupported  *6  triad.code has no code for sm_100a with these settings'

# broken TEXT SED-SCRIPT: the list, changed, is accepted, and the code is not.
broken() {
    rm -rf changed
    cp -r given changed
    sed "$2" given/triad.code >changed/triad.code
    ! cmp -s changed/triad.code given/triad.code || fail "$2 changes nothing"
    "$WARPSWEEP" check job.yaml --kernels changed --arch sm_90 >log 2>&1
    expect "exit code of check" $? 1
    logged "changed/triad.code:$1"
}
broken "3: .*f32.cubin has no kernel 'tried'; it has triad_kernel" 3s/entry=triad_kernel/entry=tried/
broken '3: the code is for blocks of 128 threads; the descriptor launches 256' '3s/threads=256/threads=128/'
broken '3: .*old.cubin is machine code for sm_80, not for sm_90' 3s/f32.cubin/old.cubin/
broken '3: .*f32.ptx is no cubin' '3s/f32.cubin/f32.ptx/'
broken '4: the file is no PTX' '4s/sm_90/compute_90/'

# Machine code in short; PTX is assembled first, and by whom can be said.
"$WARPSWEEP" check job.yaml --kernels given --arch sm_90 --sass >log 2>&1
case $? in
    0) ;;
    *) grep -q "there is no nvdisasm" log || fail "check --sass"
       echo "$(grep "there is no nvdisasm" log): machine code is not read"
       exit 0 ;;
esac
logged '^  LDG  *4 bytes per lane  2$'
logged '^  LDG  *8 bytes per lane  2$'
logged '^  [0-9]* instructions, [0-9]* registers per thread, no loop$'
expect "accesses, none of another width" "$(grep -c "^  LDG\|^  STG" log)" 8

cat >restrict.yaml <<'JOB'
sweeps:
  - kernel: triad
    axes: {variant: restrict}
JOB
PTXAS=/nowhere "$WARPSWEEP" check restrict.yaml --kernels given --arch sm_90 --sass >log 2>&1
expect "exit code without ptxas" $? 3
logged 'this is PTX, which has no machine code: ptxas'
"$WARPSWEEP" check restrict.yaml --kernels given --arch sm_120 --sass >log 2>&1
if [ $? = 3 ]; then
    logged 'this is PTX, which has no machine code: ptxas'
    echo "no ptxas: PTX is not assembled"
    exit 0
fi
logged 'variant=restrict .* arch=sm_120$'
logged '^  LDG  *4 bytes per lane  2$'
sed -i 's/^ret;$/retreat;/; s/ret;/retreat;/' given/code/f32.ptx
"$WARPSWEEP" check restrict.yaml --kernels given --arch sm_120 >log 2>&1
expect "exit code of broken PTX" $? 1
logged 'given/triad.code:5: the PTX cannot be assembled'
logged 'retreat'
