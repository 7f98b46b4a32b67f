# A warpsweep-worker of another build, or what is none at all, is one clear error on whatever back end, before anything
# runs: never a run on the host, and never points that crash.
. "$(dirname "$0")/common.sh"
STAND_IN_WORKER=$(dirname "$WARPSWEEP")/stand_in_worker
cp "$WARPSWEEP" .
WARPSWEEP=$folder/warpsweep

refused() { # refused TEXT: on every back end, with that text, once, for both ranks
    for backend in auto cuda host fake; do
        launch 3 2 -o out.h5 --backend $backend
        logged "rank 0 on .* (and 1 other) has no worker: .*$1"
        expect "lines about it" "$(grep -c 'no worker' log)" 1
        ! grep -q 'using the host back end' log || fail "it went on, on the host"
        [ ! -e out.h5 ] || fail "it made a file"
    done
}

cp "$STAND_IN_WORKER" warpsweep-worker
STAND_IN=altered refused "another build .* commit of the stand-in"
STAND_IN=old refused "does not report its build"

# It says that it has no GPU before it says of which build it is: with `auto` the host's turn comes, and shows it.
STAND_IN=fatal launch 3 2 -o out.h5
logged "rank 0 on .* has no worker: .*another build"
[ ! -e out.h5 ] || fail "it made a file"

printf '#!/bin/sh\nexit 0\n' >warpsweep-worker
launch 3 2 -o out.h5
logged "rank 0 on .* has no worker: the worker exited with status 0 before it said anything"
printf '#!/bin/sh\necho "this is no message at all, but text" >&4\nsleep 60\n' >warpsweep-worker
launch 3 2 -o out.h5
logged "rank 0 on .* has no worker: .*a message that cannot be read"
[ ! -e out.h5 ] || fail "it made a file"
