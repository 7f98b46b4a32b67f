#!/usr/bin/env bash
# jobs/first_day.yaml, its page, and profiles and predictions against published values: nothing here was measured.
source "$(dirname "$0")/setup.sh"
cd "$D"
find_python 'h5py, pandas, scipy' >/dev/null
export PYTHONPATH=$SOURCE/python/src:$PYTHONPATH
for profile in b200 b300; do
    reader predict "$SOURCE/jobs/first_day.yaml" --profile $profile -o $profile.h5 >/dev/null 2>errors || fail "predict: $(cat errors)"
    reader compare --published $profile.h5 >$profile.txt || fail "published: $(cat $profile.txt)"
done
has -Eq '^DRAM read .* 7.2 to 7.37 *TB/s .*QuickRunCUDA' b300.txt || fail "DRAM: $(cat b300.txt)"
has '^mma bf16 .*not measured' b300.txt || fail "a rate of one instruction is predicted: $(cat b300.txt)"

# The numbers of the page are the job's.
page=$(tr '\n' ' ' <"$SOURCE/docs/blackwell.md")
for profile in b200 b300 rtx-pro-6000; do
    "$WARPSWEEP" check "$SOURCE/jobs/first_day.yaml" --profile $profile >out
    read -r points kernels refused < <(awk '/^[a-z0-9_]*: [0-9]* points/ {p += $2} /of them unsupported/ {u += $4} /^total:/ {k = $2} END {print p, k, u}' out)
    case $profile in
    b200) wanted=("all $kernels kernels compile" "on a B200 $refused of $points are") ;;
    b300) wanted=("$kernels for \`sm_103a\`" "on a B300 $refused ") ;;
    *) wanted=("$kernels for \`sm_120a\`") ;;
    esac
    for text in "${wanted[@]}"; do [[ $page == *"$text"* ]] || fail "docs/blackwell.md does not say '$text'"; done
done
