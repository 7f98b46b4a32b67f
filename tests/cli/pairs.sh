#!/usr/bin/env bash
# The textbook's pairs as data: what a malformed file is told, a pair of one's own, and what is held against the source.
source "$(dirname "$0")/setup.sh"
cd "$D"
"$MAKE_COUNTED" gpu.h5 first fake
"$MAKE_COUNTED" cpu.h5 first host
"$MAKE_COUNTED" small.h5 first fake 67108864

# The file as it ships, installed: beside the executable's folder.
mkdir -p prefix/bin prefix/share/warpsweep/analysis
cp "$WARPSWEEP" prefix/bin
sed 's/^source: .*/source: the installed copy/' "$SOURCE/analysis/pairs.yaml" >prefix/share/warpsweep/analysis/pairs.yaml
prefix/bin/warpsweep report gpu.h5 >out
grep -q 'The source is the installed copy\.' out || fail "the installed pairs are not the ones that are read"

# Each mistake is one line that replaces another, and is told with its place.
good='source: a book
pairs:
  - title: strides
    kernel: copy
    where: [variant=load]
    free: [size]
    cases:
      - {label: two, where: [stride=2]}
      - {label: one, where: [stride=1, size=4MiB]}
    quantities:
      - {label: time, unit: ms, column: time_median, factor: 1e3, source: [4.8, [1, 2]]}
    job: jobs/mine.yaml'
echo "$good" >mine.yaml
"$WARPSWEEP" report gpu.h5 --pairs mine.yaml >out
grep -q 'copy: strides. Measured by jobs/mine' out || fail "a pair of one's own is not looked for: $(<out)"
tried=0
wrong() { # wrong LINE TEXT EXPECTED
    sed "$1s|.*|$2|" mine.yaml >bad.yaml
    local status=0
    "$WARPSWEEP" report gpu.h5 --pairs bad.yaml >out 2>errors || status=$?
    [[ $status == 2 && $(<errors) == *bad.yaml:*"$3"* && ! -s out ]] || fail "line $1 '$2': exit $status, $(<errors)"
    tried=$((tried + 1))
}
wrong 1 'sources: a book' "1:1: unknown key 'sources' (did you mean 'source'"
wrong 1 '' '2:1: source is missing'
wrong 2 'pairs: {' 'bad YAML'
wrong 3 '  - titel: strides' "3:5: unknown key of a pair 'titel' (did you mean 'title'"
wrong 3 '  - table: Table 1' 'title is missing'
wrong 4 '    kernel: cpoy' "4:13: unknown kernel 'cpoy' (did you mean 'copy'"
wrong 5 '    where: [variant]' "5:13: 'variant' is not a condition; expected axis=value"
wrong 5 '    where: [varient=load]' "5:13: unknown axis 'varient' (did you mean 'variant'"
wrong 5 '    where: [variant=lode]' '5:13: '
wrong 5 '    where: load' 'where: expected a list, found a single value'
wrong 5 '    where: [offset=0, offset=0, offset=0, offset=0, offset=0, offset=0, offset=0, offset=0, offset=0]' \
    'where: 9 of them; the most is 8'
wrong 6 '    free: [sise]' "6:12: unknown axis 'sise' (did you mean 'size'"
wrong 8 '' '9:7: cases: a pair compares two or more'
wrong 8 '      - {where: [stride=2]}' '8:9: label is missing'
wrong 9 '      - {label: one, wher: []}' "unknown key of a case 'wher'"
wrong 11 '      - {label: time}' '11:9: column is missing'
wrong 11 '      - {label: time, column: time_medium}' "column: 'time_medium' is not a column of numbers"
wrong 11 '      - {label: time, column: status}' "column: 'status' is not a column of numbers"
wrong 11 '      - {label: time, column: time_median, factor: big}' "factor: 'big' is not a number"
wrong 11 '      - {label: time, column: time_median, source: [1]}' 'source: 1 figures for 2 cases'
wrong 11 '      - {label: time, column: time_median, source: [1, [3, 2]]}' 'source: a range is [low, high]'
wrong 11 '      - {label: time, column: time_median, source: [1, nan]}' "source: 'nan' is not a number"
wrong 11 '      - {label: time, column: time_median, minus: time_medium}' "minus: 'time_medium' is not a column of numbers"
wrong 12 '' 'job is missing'
((tried == 24)) || fail "$tried mistakes were tried"
: >bad.yaml
! "$WARPSWEEP" report gpu.h5 --pairs bad.yaml >out 2>errors || fail "an empty file is taken"
grep -q 'a file of pairs: expected a mapping' errors || fail "an empty file: $(<errors)"
status=0
"$WARPSWEEP" report gpu.h5 --pairs missing.yaml >out 2>errors || status=$?
[[ $status == 2 && $(<errors) == *missing.yaml* ]] || fail "no file: exit $status, $(<errors)"

# The example of docs/pairs.md is a file that works.
sed -n '/^```yaml$/,/^```$/p' "$SOURCE/docs/pairs.md" | sed '/^```/d' >documented.yaml
"$WARPSWEEP" report gpu.h5 --pairs documented.yaml | has 'Table 3, layout: loads of a struct' || fail "docs/pairs.md's example"

# One column less another: no time any more, which would have an interval.
sed 's/kernel: copy/kernel: transpose/; s/where: .variant=load./where: [tile=32]/; s/free: .*/free: [rows, columns]/
     s/stride=2/variant=shared/; s/stride=1, size=4MiB/variant=padded/
     s/{label: time,.*/{label: nothing, column: time_median, minus: time_median}/' mine.yaml >minus.yaml
"$WARPSWEEP" report gpu.h5 --pairs minus.yaml >out
grep -q '^| nothing | - | - | 0 | - | not measured |' out || fail "time less time: $(grep nothing out)"

# On a GPU what goes another way contradicts the source; a CPU cannot, and nor is it said to agree.
"$WARPSWEEP" report gpu.h5 >gpu
"$WARPSWEEP" report cpu.h5 >cpu
grep -q '| 80 | 80 | CONTRADICTS the source: does not change |' gpu || fail "no contradiction on a GPU"
! grep -E 'CONTRADICTS|as in the source|The order is the source' cpu || fail "a CPU is compared with the source"
grep -q 'Measured on a CPU: not compared with the source' cpu || fail "nothing says that it is a CPU"
! grep -q 'Measured on a CPU' gpu || fail "a GPU is called a CPU"

# A pair that fits in L2 says so where it contradicts; one that does not fit says nothing of L2.
"$WARPSWEEP" report small.h5 >small
section() { sed -n "/^## $1/,/^## /p" small; }
section 'Tables 7-2 and 7-3' | has '| CONTRADICTS the source: does not change (fits in L2) |' ||
    fail "a pair in L2 contradicts without saying so"
section 'Tables 7-2 and 7-3' | has 'sectors per request | 31.8 | 4 | 4.5 | 16 | CONTRADICTS the source: rises |' ||
    fail "L2 excuses how a warp's addresses fall into sectors"
section 'Tables 7-2 and 7-3' | has "fit in the device's L2" || fail "nothing explains what L2 does"
! section 'Table 7-5' | has L2 || fail "512 MiB in L2"
! grep -q "fits in L2" gpu || fail "L2 of unknown size"

# A file that was written before the kernel got an axis which another kernel had by then: all of its pairs are still found.
"$WARPSWEEP" report "$SOURCE/analysis/data/h100-paper.h5" >real || fail "no report of the repository's own data"
[[ $(grep -c '^## Table 7-5' real) == 2 ]] || fail "pairs of the repository's own data are lost"
