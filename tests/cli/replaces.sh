#!/usr/bin/env bash
# An output replaces nothing but an earlier output of its kind: whatever else is in the way is refused, and is as it was.
source "$(dirname "$0")/setup.sh"
cd "$D"
run=("$WARPSWEEP" run --backend fake --counters none --set timing.replicates=1)
printf 'title: One copy\nsweeps:\n  - kernel: copy\n    axes: {size: 64KiB}\n' >job.yaml
"${run[@]}" job.yaml -o r.h5 >log 2>&1 || fail "a run: $(<log)"
cp r.h5 copy.h5
"$WARPSWEEP" status r.h5 | sed -n 2p | grep -x 'One copy' >/dev/null || fail "status does not say the title: $("$WARPSWEEP" status r.h5)"

refused() { # refused FILE TEXT COMMAND...: it ends with a message, and the file is as it was
    local file=$1 text=$2 before
    shift 2
    before=$(stat -c '%i %F' "$file"; [[ ! -f $file ]] || sha256sum <"$file")
    local status=0
    "$@" >log 2>&1 || status=$?
    [[ $status == "${code:-2}" ]] || fail "exit $status: $*: $(<log)"
    grep -q -e "$text" log || fail "$*: $(<log)"
    [[ $before == "$(stat -c '%i %F' "$file"; [[ ! -f $file ]] || sha256sum <"$file")" ]] || fail "$* has changed $file"
}
mkfifo pipe
refused job.yaml 'already exists' "${run[@]}" job.yaml -o job.yaml
code=3 refused job.yaml 'job.yaml' "${run[@]}" job.yaml -o job.yaml --resume
refused r.h5 'already exists' "$WARPSWEEP" merge copy.h5 -o r.h5
[[ ! -e n.h5 ]] || fail "something was measured before the output was refused"
# A file that goes on keeps its mode; a file of one's own with a similar name stays, and what a killed process left goes.
touch m.h5.tmp-mine m.h5.tmp-00000001-2-3
"${run[@]}" job.yaml -o m.h5 >log 2>&1 || fail "a run: $(<log)"
chmod 600 m.h5
"${run[@]}" job.yaml --set size=64KiB,128KiB -o m.h5 --resume >log 2>&1 || fail "a resumed run: $(<log)"
[[ $(stat -c %a m.h5) == 600 && -e m.h5.tmp-mine && ! -e m.h5.tmp-00000001-2-3 ]] || fail "$(ls -l)"

# A file that is moved over the results during the run stays; the run goes on under another name.
WARPSWEEP_FAKE=sleep=100ms "${run[@]}" job.yaml --set stride=1,2,3,4,5,6,7,8 --set vector=1,2,4,8 --set dtype=f32,f64 -o moved.h5 >log 2>&1 &
until [[ -e moved.h5 ]]; do sleep 0.1; done
echo "a text of the user's" >new && mv new moved.h5
wait $! || fail "the run: $(<log)"
[[ $(<moved.h5) == "a text of the user's" ]] || fail "the moved file was overwritten"
grep -q 'another file was moved to .*moved.h5 .*going on in .*moved-2.h5' log || fail "$(<log)"
"$WARPSWEEP" status --verify moved-2.h5 >log || fail "results beside it: $(<log)"
[[ $(reader table moved-2.h5 -c id -f tsv -w canary=0 | wc -l) == 65 && -z $(find . -name 'moved*journal*') ]] || fail "its rows: $(ls)"

# Python
cp "$SOURCE/analysis/data/h100-profile.h5" p.h5
reader profile p.h5 -o p.profile >log 2>&1 || fail "profile: $(<log)"
for file in p.h5 job.yaml p.profile pipe; do
    refused "$file" 'already exists' "$WARPSWEEP" profile p.h5 -o "$file"
done
refused r.h5 'already exists' "$WARPSWEEP" predict --kernel copy --profile p.profile -o r.h5
[[ -z $(find . -name '.p.profile*' -o -name '.pipe*') ]] || fail "temporary files: $(ls -A)"
