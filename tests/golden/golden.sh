#!/bin/sh
# golden.sh DUMP_GRID FOLDER [--update]: run DUMP_GRID on every FOLDER/NAME.yaml and compare what it prints, and its
# exit code, with FOLDER/NAME.expected. With --update the expectations are written instead; read the diff before
# you commit it. Of the list of all kernels the first stands for the rest: a new family changes no expectation.
set -u
dump=$(realpath -e "$1") || exit 1
cd "$2" || exit 1
update=${3:-}
failures=0
files=0
for job in *.yaml; do
    files=$((files + 1))
    expected=${job%.yaml}.expected
    actual=$({ "$dump" "$job" 2>&1; echo "exit $?"; } | sed 's/\(kernel .*nown: copy\), .*/\1, .../')
    if [ "$update" = --update ]; then
        printf '%s\n' "$actual" > "$expected"
    elif [ ! -f "$expected" ]; then
        echo "$job: there is no $expected"
        failures=$((failures + 1))
    elif [ "$actual" != "$(cat "$expected")" ]; then
        echo "$job: not as expected:"
        printf '%s\n' "$actual" | diff "$expected" - | sed -n 1,20p
        failures=$((failures + 1))
    fi
done
echo "$files jobs, $failures not as expected"
[ "$files" -gt 0 ] && [ "$failures" -eq 0 ]
