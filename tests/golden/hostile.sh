#!/bin/sh
# hostile.sh DUMP_GRID: what is no job file at all, or far too much of one, is refused within seconds and within
# 512 MiB of address space (not limited under AddressSanitizer, which reserves terabytes).
set -u
dump=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if ! grep -q __asan_init "$dump"; then
    ulimit -v 524288
fi
failures=0

# refused WHAT FILE PATTERN: exit code 2 and one line that matches, within 10 s
refused() {
    message=$(timeout 10 "$dump" "$2" 2>&1)
    code=$?
    lines=$(printf '%s\n' "$message" | wc -l)
    if [ "$code" -ne 2 ] || [ "$lines" -ne 1 ] || ! printf '%s\n' "$message" | grep >/dev/null -- "$3"; then
        echo "$1: exit $code, expected 2 and '$3', got: $(printf '%s' "$message" | head -c 300)"
        failures=$((failures + 1))
    fi
}

# repeat TEXT BYTES: that many bytes of it
repeat() {
    yes -- "$1" | tr -d '\n' | head -c "$2"
}

truncate -s 100M "$folder/large.yaml"
refused "a file of 100 MB" "$folder/large.yaml" "the file has 104857600 bytes; the limit is 4194304"
truncate -s 4M "$folder/zeros.yaml"
refused "4 MiB of zeros" "$folder/zeros.yaml" ":1:1: control characters are not allowed"
refused "/dev/zero" /dev/zero "not a regular file"
mkfifo "$folder/pipe"
refused "a pipe that nobody writes" "$folder/pipe" "not a regular file"
refused "a folder" "$folder" "not a regular file"
refused "a missing file" "$folder/missing.yaml" "No such file or directory"
ln -s loop "$folder/loop"
refused "a symbolic link to itself" "$folder/loop" "symbolic links"

head -c 65536 "$dump" > "$folder/binary.yaml"
refused "an executable" "$folder/binary.yaml" "expected plain UTF-8 text"
repeat '[' 4000000 > "$folder/deep.yaml"
refused "4 million brackets" "$folder/deep.yaml" "nested more than 16 deep"
repeat '{a: ' 4000000 > "$folder/maps.yaml"
refused "a million nested mappings" "$folder/maps.yaml" "nested more than 16 deep"
repeat '- ' 4000000 > "$folder/dashes.yaml"
refused "two million nested lists" "$folder/dashes.yaml" "nested more than 16 deep"
{ printf 'sweeps: ['; repeat '1,' 4000000; printf '1]'; } > "$folder/wide.yaml"
refused "a list of two million" "$folder/wide.yaml" "too many values in one job file"
repeat 'a' 4000000 > "$folder/word.yaml"
refused "a word of 4 MB" "$folder/word.yaml" "expected a mapping"
{ printf '"'; repeat 'a' 4000000; } > "$folder/quote.yaml"
refused "a quote that never ends" "$folder/quote.yaml" "found unexpected end of stream"
repeat ' ' 4000000 > "$folder/blank.yaml"
refused "4 MB of blanks" "$folder/blank.yaml" "this job file is empty"
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "key%d: 1\n", i }' > "$folder/keys.yaml"
refused "200,000 keys" "$folder/keys.yaml" "too many keys in one mapping"
awk 'BEGIN { print "sweeps:"; for (i = 0; i < 20000; i++) print "  - {kernel: copy}" }' > "$folder/sweeps.yaml"
refused "20,000 sweeps" "$folder/sweeps.yaml" "sweeps: 20000 entries; the maximum is 1000"
awk 'BEGIN { print "defaults: {offset: {from: 0, to: 1000000, step: 1}}\nsweeps:"
             for (i = 0; i < 900; i++) print "  - {kernel: copy}" }' > "$folder/ranges.yaml"
refused "900 ranges of a million" "$folder/ranges.yaml" "the maximum over all axes of a job is 1048576"
echo "$failures not refused as expected"
[ "$failures" -eq 0 ]
