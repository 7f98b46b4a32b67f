# user_family.sh WARPSWEEP, with BUILD, CMAKE, CC and CUDA in the environment.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
example=$here/../../examples/family

"$CMAKE" --install "$BUILD" --prefix "$folder/prefix" --component headers >log 2>&1 || fail "no headers installed"

# build NAME SOURCE: DIR/NAME.so and DIR/NAME.cu, where DIR is NAME too.
build() {
    mkdir -p "$1"
    cp "$2" "$1/$1.c"
    cp "$example/triad.cu" "$1/$1.cu"
    "$CC" -std=gnu17 -shared -fPIC -I "$folder/prefix/include/warpsweep" "$1/$1.c" -o "$1/$1.so" 2>log ||
        fail "$1.c does not build"
}

build triad "$example/triad.c"
job '{cache: hot, max_time: 20ms, min_samples: 3, max_samples: 20, replicates: 1}' <<'JOB'
  - kernel: triad
    axes: {variant: [plain, restrict], size: [64KiB, 1MiB], dtype: [f32, f64, f16]}
  - kernel: copy
    axes: {size: 64KiB}
JOB

# Listed and shown, the built-in ones too; unknown without the option.
"$WARPSWEEP" kernels --kernels triad >log 2>&1 || fail "kernels does not list"
logged '^triad .*two arrays read'
logged '^copy '
"$WARPSWEEP" kernels triad --kernels triad >log 2>&1 || fail "kernels does not show"
logged 'default: 64MiB'
refused "unknown kernel 'triad'" check job.yaml

# The include line of release 0.1 still serves.
sed 's|"family/rules.h"|"kernels/family.h"\n#include "family/rules.h"|' "$example/triad.c" >old.c
grep -q '^#include "kernels/family.h"' old.c || fail "the old include is not tried"
build old old.c
"$WARPSWEEP" kernels triad --kernels old >log 2>&1 || fail "a family with the old include does not load"

# A fault of its code ends the program, which says whose it is, and where. AddressSanitizer would answer it first.
sed 's|^const char \*skip(.*{$\|^static const char \*skip(.*)$|&|; s|(void)target;|*(volatile int *)8 = 1;|' "$example/triad.c" >faulty.c
cmp -s faulty.c "$example/triad.c" && fail "nothing is faulty"
build faulty faulty.c
ASAN_OPTIONS=handle_segv=0 "$WARPSWEEP" check job.yaml --kernels faulty >log 2>&1 && fail "check survives a fault"
logged 'faulty.so: a function of this kernel family crashed (SIGSEGV); addr2line -f -e .*/faulty.so 0x[0-9a-f]* names it'

# Expanded, and compiled where there is a compiler: 2 variants x 2 types, and copy.
"$WARPSWEEP" check job.yaml --kernels triad >log 2>&1 || fail "check fails"
logged '^triad: 12 points, 4 of them unsupported'
if [ "$CUDA" = ON ]; then
    "$WARPSWEEP" check job.yaml --kernels triad --arch sm_90 >log 2>&1 || fail "it does not compile"
    logged 'sm_90: all 5 kernels compile'
    mkdir broken
    cp triad/triad.so broken/triad.so
    { cat "$example/triad.cu"; echo 'no code;'; } >broken/triad.cu
    "$WARPSWEEP" check job.yaml --kernels broken --arch sm_90 >log 2>&1
    expect "exit code of check on a syntax error" $? 1
    logged 'triad.cu('
    # What the setup and the kernel disagree in is found before a launch.
    disagree() { # disagree TEXT SED-SCRIPT
        rm -rf apart
        sed "$2" "$example/triad.c" >apart.c
        ! cmp -s apart.c "$example/triad.c" || fail "$2 changes nothing"
        mkdir apart && cp triad/triad.cu apart
        "$CC" -std=gnu17 -shared -fPIC -I "$folder/prefix/include/warpsweep" apart.c -o apart/triad.so || fail "apart.c"
        "$WARPSWEEP" check job.yaml --kernels apart --arch sm_90 --only kernel=triad --only dtype=f32 >log 2>&1
        expect "exit code of check: $1" $? 1
        logged "^triad.cu: $1"
    }
    disagree "has no kernel 'triad_k', the .entry. of its setup; it has triad_kernel" 's/"triad_kernel"/"triad_k"/'
    disagree "the kernel 'triad_kernel' has 4 parameters, and its setup 3 arguments" 's/.arguments = 4/.arguments = 3/'
    disagree "parameter 3 of the kernel 'triad_kernel' has 8 bytes, and argument 3 of its setup 4" 's/{ARGUMENT_U64, n}/{ARGUMENT_U32, n}/'
fi

# Run: its reference, in workers of two ranks.
launch 0 2 -o out.h5 --backend host --kernels triad
expect "ok" "$(points out.h5 --where status=ok --where kernel=triad)" 8
expect "unsupported" "$(points out.h5 --where status=unsupported)" 4
expect "all" "$(points out.h5)" 13
rows out.h5 time_median,verified --where status=ok |
    awk '!($1 > 0 && $2 > 0) { bad = 1 } END { exit bad }' || fail "a point was not timed or not verified"

cp "$example/triad.c" triad
launch 0 1 -o sources.h5 --backend host --kernels triad --only kernel=triad
reader show "$(rows sources.h5 id --where kernel=triad | sed -n 1p)" sources.h5 --sources restored >log 2>&1 || fail "show --sources"
diff -r -x '*.so' triad restored || fail "the sources are not those of the folder"

# Words in an axis that has numbers in other families: one file holds both, and all commands read it.
sed 's/ARCH, AXES/ARCH, STRIDE, AXES/; s/.*AXIS_ARCHITECTURE,/&\n[STRIDE] = AXIS_WORDS("stride", "a word", "plain", variants, false),/' \
    "$example/triad.c" >changed.c
build words changed.c
cp job.yaml kept.yaml
printf '%s\n' 'counters: none' 'timing: {max_time: 20ms, replicates: 1}' 'sweeps:' '  - {kernel: copy, axes: {size: 64KiB, stride: [1, 2]}}' \
    '  - {kernel: triad, axes: {size: 64KiB, stride: [plain, restrict]}}' >job.yaml
launch 0 1 -o words.h5 --backend host --kernels words
launch 0 1 -o words.h5 --backend host --kernels words --resume
logged '^warpsweep: 0 points to measure'
for command in table pivot; do
    reader $command words.h5 -c kernel,stride -w stride=1,2,restrict -f tsv >log 2>&1 || fail "$command"
    expect "$command" "$(sed 1d log | sort | tr '\t\n' ' ,')" 'copy 1,copy 2,triad restrict,'
done
"$WARPSWEEP" status --verify words.h5 >log 2>&1 || fail "status"
reader compare words.h5 words.h5 >log 2>&1 || fail "compare"
cp kept.yaml job.yaml

# What is wrong is told, with the file and what was expected.
refused 'nowhere' kernels --kernels nowhere
mkdir empty
refused 'has no kernels; expected NAME.py, or NAME.so and NAME.cu' kernels --kernels empty
build lonely "$example/triad.c"
rm lonely/lonely.cu
refused 'lonely.so: its device code is expected beside it, as NAME.cu or NAME.code: .*lonely.cu' run job.yaml -o no.h5 --kernels lonely
[ ! -e no.h5 ] || fail "a run without kernels wrote results"

# variation NAME SED-SCRIPT TEXT: triad.c, changed, is refused.
variation() {
    sed "$2" "$example/triad.c" >changed.c
    ! cmp -s changed.c "$example/triad.c" || fail "$1 changes nothing"
    build "$1" changed.c
    refused "$1.so: $3" check job.yaml --kernels "$1"
}
variation clash 's/"triad", .axes/"copy", .axes/' "there is already a kernel 'copy'"
variation abi 's/abi = FAMILY_ABI/abi = FAMILY_ABI + 1/' 'it was built for version [0-9]* of family/family.h; expected [0-9]*'
variation no_abi '/^const int warpsweep_family_abi/d' 'it exports no `warpsweep_family_abi`'
variation no_family 's/struct family warpsweep_family/struct family my_family/' 'it exports no `warpsweep_family`'
variation function '/\.work = work/s/work,$/NULL,/' "its kernel 'triad' has no function 'work'"
variation axis 's/= AXIS_CACHE,/= AXIS_ITEMS("1"),/' "it has no axis 'cache'"
variation standard 's/AXIS_BLOCK("256")/AXIS_BLOCK("0")/' "the standard value of its axis 'block'"
variation same_word 's/{"plain", "restrict"/{"plain", "plain"/' "its axis 'variant' has the word 'plain' twice"
variation twice 's/AXIS_BLOCK("256")/AXIS_SIZE("1MiB")/' "it has two axes called 'size'"

# code NAME SED-SCRIPT TEXT: triad.cu, changed, does not go by the axes: all three commands say so.
code() {
    build "$1" "$example/triad.c"
    sed "$2" "$example/triad.cu" >"$1/$1.cu"
    ! cmp -s "$1/$1.cu" "$example/triad.cu" || fail "$1 changes nothing"
    refused "$1/$1.cu:$3" check job.yaml --kernels "$1"
    refused "$1/$1.cu:$3" kernels --kernels "$1"
    refused "$1/$1.cu:$3" run job.yaml -o no.h5 --kernels "$1"
    [ ! -e no.h5 ] || fail "a run of wrong code wrote results"
}
code misspelt 's/variant_plain/VARIANT_plain/' \
    "[0-9]*:13: 'VARIANT_plain' is no macro (did you mean 'variant_plain'?)"
code unused '/ifndef BLOCK/,/endif/d; s/BLOCK/256/' " the axis 'block' is compiled, but the code never mentions BLOCK"
mkdir text
echo 'no shared object' >text/text.so
refused 'cannot load a kernel family: .*text.so' kernels --kernels text

# A worker that cannot load them tells its rank why: this is the frame that it sends.
WARPSWEEP_KERNELS=$folder/empty "$(dirname "$WARPSWEEP")/warpsweep-worker" --backend host --local-rank 0 \
    3</dev/null 4>log 2>/dev/null
expect "exit code of a worker" $? 3
grep -a -q 'empty has no kernels' log || fail "the worker does not say why"
