#!/usr/bin/env bash
# What CI systems read: exit codes, and the examples in examples/ci.
source "$(dirname "$0")/setup.sh"
cd "$D"
# Exit codes are what counts here, and the search for leaks may end with its own beside threads of MPI.
export ASAN_OPTIONS=detect_leaks=0

# What is slower than the limit, and only that, ends with an error.
for name in before same plus5; do
    rule=noise=0.001
    [[ $name != plus5 ]] || rule+=';slow=1.05'
    WARPSWEEP_FAKE=$rule "$WARPSWEEP" run --kernel copy --set stride=1,2,4 --set vector=1,2,4 -o $name.h5 --backend fake >log 2>&1 || fail "$name: $(<log)"
done
reader compare before.h5 plus5.h5 --fail-above 3% >out 2>log && fail "5 % more time passes"
reader compare before.h5 same.h5 --fail-above 3% >out || fail "A/A fails"

# The examples are what they say they are.
python3 -m py_compile "$SOURCE/examples/ci/reframe_warpsweep.py" || fail "the ReFrame check is no Python"
rm -rf "$SOURCE/examples/ci/__pycache__"
{ "$WARPSWEEP" run --help && reader compare --help; } >help
while read -r option; do
    grep -q -e "$option" help || fail "examples/ci names $option, which there is not"
done < <(grep -hoE 'warpsweep (run|compare) .*' "$SOURCE"/examples/ci/github.yml "$SOURCE"/examples/ci/README.md | grep -oE -- '--[a-z-]+' | sort -u)
if ! reframe=$(command -v "${REFRAME:-reframe}"); then
    echo "no ReFrame here: its check is not listed"
    exit 0
fi
export PATH=$(dirname "$WARPSWEEP"):$PATH
plain=$(mktemp -d) # ReFrame takes no space in its folders
trap 'rm -rf "$D" "$plain"' EXIT
cd "$plain"
check=(--prefix "$plain/reframe" -c "$SOURCE/examples/ci/reframe_warpsweep.py")
export RFM_SAVE_LOG_FILES=0 RFM_PURGE_ENVIRONMENT=0 TMPDIR=$plain PYTHONDONTWRITEBYTECODE=1
"$reframe" "${check[@]}" -l >out 2>&1 || fail "reframe -l: $(<out)"
grep -q 'WarpsweepRun' out && grep -q 'WarpsweepRegression' out || fail "reframe -l: $(<out)"
# Both run, on this processor, against what was measured just before.
job=(--kernel copy --set stride=1,2 --set timing.max_time=20ms)
warpsweep run "${job[@]}" --set size=1MiB --print-job >job.yaml
warpsweep run job.yaml -o base.h5 --backend host 2>/dev/null
warpsweep run --kernel copy --set stride=1,2 --set size=1MiB,2MiB,4MiB,8MiB,16MiB --set dtype=f32,f64 --print-job >ten.yaml
gate=(-r -S backend=host -S WarpsweepRun.job_file="$plain/job.yaml" -S WarpsweepRegression.baseline="$plain/base.h5")
"$reframe" "${check[@]}" "${gate[@]}" -S WarpsweepRegression.limit=900% >out 2>&1 || fail "reframe -r: $(tail -n 40 out)"
grep -q 'PASSED' out || fail "reframe -r: $(tail -n 40 out)"
# Ten failed points, whose summary has "0 failed, 0 crashed" in it, are no success.
WARPSWEEP_FAKE=fail:stride=2 "$reframe" "${check[@]}" -r -n WarpsweepRun -S backend=fake -S WarpsweepRun.job_file="$plain/ten.yaml" >out 2>&1 &&
    fail "points fail, and the check passes: $(tail -n 40 out)"
grep -q "'^measured: 0\$' not found" out || fail "why it fails: $(tail -n 40 out)"
