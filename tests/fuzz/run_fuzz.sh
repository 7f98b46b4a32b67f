#!/bin/sh
# run_fuzz.sh FUZZER [SEED_FOLDER...]: so many inputs of a fixed seed, the same on every machine, starting from the job files, journals
# and earlier inputs in the folders. They take 10 s; a machine that needs more than 60 s stops there. FUZZ_SECONDS sets a time instead of a
# number of inputs, with a seed of the clock.
set -u
here=$(dirname "$0")
fuzzer=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/seeds" "$folder/new"
for seeds in "$@"; do
    for seed in "$seeds"/*.yaml "$seeds"/*.journal "$seeds"/*.input; do
        [ ! -f "$seed" ] || cp "$seed" "$folder/seeds/$(basename "$seeds")-$(basename "$seed")"
    done
done
case $fuzzer in
*_job) runs=30000 && set -- -max_len=2048 -dict="$here/job.dict" ;;
*_journal) runs=2000 && set -- -max_len=65536 ;;
esac
if [ -n "${FUZZ_SECONDS:-}" ]; then
    set -- -max_total_time="$FUZZ_SECONDS" "$@"
else
    set -- -seed=1 -runs=$runs -max_total_time=60 -reload=0 "$@" # reloading goes by the clock
fi
if ! "$fuzzer" -timeout=10 -rss_limit_mb=1024 "$@" -artifact_prefix="$folder/" \
    -print_final_stats=1 "$folder/new" "$folder/seeds" > "$folder/log" 2>&1; then
    tail -40 "$folder/log"
    for found in "$folder"/crash-* "$folder"/leak-* "$folder"/timeout-* "$folder"/oom-*; do
        [ -f "$found" ] && echo "the input, in base64:" && base64 "$found"
    done
    exit 1
fi
grep -E "^stat::number_of_executed_units|cov:" "$folder/log" | tail -2
