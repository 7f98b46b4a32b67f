#!/bin/sh
# one_starter.sh ROOT - only src/process starts programs: with signals reset, no descriptor inherited, and the
# report of a failed exec, which a second place would forget.
cd "$1" || exit 1
call='\<(fork|vfork|popen|system|posix_spawnp?|exec(l|le|lp|v|ve|vp|vpe|veat)|fexecve) *\('
starters=$(grep -rnE "$call" --include='*.[ch]' --include='*.cpp' src kernels)
echo "$starters" | grep >/dev/null '^src/process/process.c:' || { echo "src/process starts nothing? the check is blind"; exit 1; }
wrong=$(echo "$starters" | grep -v '^src/process/')
[ -z "$wrong" ] || { echo "programs are started by src/process alone (process.h):"; echo "$wrong"; exit 1; }
