#!/usr/bin/env bash
# slurm/submit: mistakes in site.env are found before anything waits in the queue; a job runs with the settings that were
# submitted, whatever site.env says by then, and from a folder of any name.
set -euo pipefail
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export WARPSWEEP_FAKE=sleep=1ms

refused() { # refused TEXT: as site.env is now
    local code=0
    "$SOURCE/slurm/submit" >"$D/said.txt" 2>&1 || code=$?
    ((code == 2)) || fail "submit ends with $code, not 2, where it should say '$1'"
    grep -q -e "$1" "$D/said.txt" || fail "submit does not say '$1': $(<"$D/said.txt")"
    mini_is_empty || fail "something was submitted in spite of: $1"
}
mkdir "$D/folder"
while IFS='~' read -r edit text; do
    site "OUTPUT=$D/x.h5"
    sed -i "$edit" "$D/site.env"
    refused "$text"
done <<END
s|^LAUNCHER=.*|LAUNCHER=mpiexec|~LAUNCHER is 'mpiexec'; expected srun or mpirun
/^LAUNCHER=/d~does not set LAUNCHER
s|^OUTPUT=.*|OUTPUT=$D/nosuch/x.h5|~the folder of OUTPUT .* does not exist
s|^OUTPUT=.*|OUTPUT=$D/folder|~is a folder
s|^OUTPUT=.*|OUPUT=x.h5|~does not set OUTPUT
s|^STARTS_MOST=.*|STARTS_MOST=many|~STARTS_MOST is 'many'
s|^NODES=.*|NODES=|~NODES is ''
s|^SRUN_MPI=.*|SRUN_MPI=pmix_v9|~SRUN_MPI 'pmix_v9' is unknown here
s|^RUN_OPTIONS=.*|RUN_OPTIONS="--backend fake"|~RUN_OPTIONS is a list in parentheses
s|^JOB_FILE=.*|JOB_FILE=$D/nosuch.yaml|~nothing was submitted
s|^WARPSWEEP=.*|WARPSWEEP=$D/nosuch|~no program
END
grep -q 'Usage: slurm/submit' <<<"$("$SOURCE/slurm/submit" --help)" || fail "submit --help"
WARPSWEEP_SITE=$D/none.env "$SOURCE/slurm/submit" --dry-run >"$D/said.txt" 2>&1 || true
grep -q 'with the settings of site.env.example' "$D/said.txt" || fail "submit --dry-run without site.env: $(<"$D/said.txt")"
site "OUTPUT=$D/x.h5" GPU_TYPE=h100 CONSTRAINT=fast
"$SOURCE/slurm/submit" --dry-run --time=5 >"$D/said.txt"
grep -q -e "--gpus-per-node=h100:4.*--constraint=fast.*--time=5" "$D/said.txt" || fail "submit --dry-run: $(<"$D/said.txt")"
mini_is_empty || fail "--dry-run has submitted something"
echo "mistakes found, after $SECONDS s"

# ---- Edited for the next job while the first one waits
scontrol update NodeName="node[1-2]" State=DRAIN Reason=queue
site "OUTPUT=$D/first.h5"
first=$(submit --parsable --output="$D/first.log.txt")
site "OUTPUT=$D/second.h5" "JOB_FILE=$D/none.yaml"
scontrol update NodeName="node[1-2]" State=RESUME
until_it has_ended "$first" || fail "the first job does not end"
is_in_state "$first" COMPLETED || fail "the first job is $(state_of "$first")"
is_as_undisturbed "$D/first.h5"
logged "$D/first.log.txt" "with the settings in .*/slurm-jobs/"

# ---- Folders of users
unset WARPSWEEP_SITE
for name in 'with space' 'a;b$c=d[e]ü' 'with,comma' "with'quote" 'with"quotes' 'with%j'; do
    mkdir -p "$D/$name/build/bin"
    cp -a "$SOURCE/slurm" "$SOURCE/quickstart" "$D/$name/"
    ln -s "${WARPSWEEP%/*}"/* "$D/$name/build/bin/"
    site OUTPUT=x.h5
    unset WARPSWEEP_SITE
    mv "$D/site.env" "$D/$name/slurm/site.env"
    code=0
    job=$("$D/$name/slurm/submit" --parsable 2>"$D/said.txt") || code=$?
    if [[ $name == *%* ]]; then
        ((code == 2)) || fail "$name: not refused"
        continue
    fi
    until_it has_ended "$job" || fail "$name: the job does not end"
    is_in_state "$job" COMPLETED || fail "$name: $(state_of "$job")"
    is_as_undisturbed "$D/$name/x.h5"
done
echo "folders of any name, after $SECONDS s"
