# init.sh WARPSWEEP, with CC, CUDA and SANITIZE in the environment: `warpsweep init` makes families that compile, pass `check` and run on the
# host back end, as they are; names and folders that it must not take are refused.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi/common.sh"
export WARPSWEEP

refused() { # refused TEXT ARGUMENT...: exit code 2, a message with the text, and nothing is made
    text=$1
    shift
    before=$(ls -R)
    "$WARPSWEEP" init "$@" >out 2>log
    expect "exit code of init $*" $? 2
    logged "$text"
    rm -f out
    expect "files after init $*" "$(ls -R)" "$before"
}
: >log

types="cuda call code"
# An interpreter without sanitizers cannot load a library with them.
if [ "${SANITIZE:-OFF}" != ON ]; then
    types="$types python"
    . "$here/../find_python.sh"
    WARPSWEEP_PYTHON=$(find_python numpy) || exit 77
    export WARPSWEEP_PYTHON
fi
for type in $types; do
    name=my_$type
    "$WARPSWEEP" init "$name" --type "$type" >said 2>log || fail "init --type $type"
    for file in $(head -n 1 said); do
        [ -s "$file" ] || fail "$file is said to be made"
        ! grep -E 'triad|softmax|PREFIX' "$file" || fail "$file has the template's names"
    done
    grep -q " $name/test  *#" said || fail "init does not say how to go on: $(cat said)"
    "$name/test" >log 2>&1 || fail "$name/test"
    logged '0 unsupported, 0 failed'
    logged "^$name: "
    # what init says to do next, on the host back end
    sed -n 's/^  warpsweep \(check\|run\|table\)/\1/p' said | sed 's/ *#.*//' >next
    expect "commands that init names" "$(cut -d' ' -f1 next | tr '\n' ' ')" "check run table "
    while read -r command; do
        case $command in run*) command="$command --backend host --set timing.max_time=10ms --set timing.replicates=1 --set timing.cache=hot" ;; esac
        # shellcheck disable=SC2086 # words
        reader $command >log 2>&1 </dev/null || fail "warpsweep $command"
    done <next
    logged "^$name"
    points=$(points "$name.h5" --where status=ok --where "kernel=$name")
    [ "$points" -ge 4 ] || fail "$points points of $name"
    rows "$name.h5" verified --where status=ok --where "kernel=$name" | awk '!($1 > 0) { bad = 1 } END { exit bad }' ||
        fail "a point of $name was not verified"
    refused "$name exists" "$name"
done

# The kernel compiles for a GPU that is not here. A wrong result of the call is found: its own code ran on the host.
if [ "$CUDA" = ON ]; then
    "$WARPSWEEP" check my_cuda/job.yaml --kernels my_cuda --arch sm_90a >log 2>&1 || fail "my_cuda does not compile"
    logged 'all 5 kernels compile'
    # A name that is a word of C++, or a function of CUDA's headers.
    for name in int max; do
        "$WARPSWEEP" init "$name" >/dev/null 2>log || fail "init $name"
        "$name/compile" >log 2>&1 || fail "$name/compile"
        "$WARPSWEEP" check "$name/job.yaml" --kernels "$name" --arch sm_90a >log 2>&1 || fail "$name does not compile"
    done
    # ... and so does the machine code, if it can be assembled; `compile` adds a cubin to the list, once.
    "$WARPSWEEP" check my_code/job.yaml --kernels my_code --arch sm_90a >log 2>&1 || fail "my_code does not compile"
    logged 'all 3 kernels compile'
    if command -v "${PTXAS:-ptxas}" >/dev/null; then
        my_code/compile sm_90a >log 2>&1 && my_code/compile sm_90a >log 2>&1 || fail "my_code/compile sm_90a"
        "$WARPSWEEP" kernels my_code --kernels my_code >log 2>&1 || fail "my_code is not listed"
        logged 'Machine code: .*my_code.code, 4 files'
        "$WARPSWEEP" check my_code/job.yaml --kernels my_code --arch sm_90a >log 2>&1 || fail "its cubins are refused"
    fi
fi
sed -i 's/ + 3 \* dtype_load/ + 4 * dtype_load/' my_call/my_call.c
! my_call/test >log 2>&1 || fail "a wrong call passes"
logged '4 failed'

refused "there is a kernel 'copy'" copy
for name in Saxpy 9lives a-b ../up a/b '' "$(printf %060d 0 | tr 0 a)"; do
    refused 'expected a name of at most 47 of a-z' "$name"
done
mkdir taken && : >file
refused 'taken exists' taken
refused 'file exists' file
refused 'fortran.*known: cuda, call, code, python' other --type fortran
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod a-w closed
    (cd closed && "$WARPSWEEP" init other >/dev/null 2>&1)
    expect "exit code where nothing can be written" $? 3
fi
