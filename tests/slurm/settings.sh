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
s|^ *: *# module load.*|    echo "no such module"; false|~no such module
s|^ *: *# module load.*|    false|~load_modules of .*/site.env fails: its last command ended with exit code 1
s|^ *: *# module load.*|    exit 0|~load_modules of .*/site.env ended the script with exit code 0
\$a exit 0~site.env ended the script with exit code 0
\$a false~site.env fails: its last command ended with exit code 1
s|^RUN_OPTIONS=.*|RUN_OPTIONS=(--backend fake -o $D/other.h5)|~--output is given twice
s|^RUN_OPTIONS=.*|RUN_OPTIONS=(--share 1/3); SHARES=3|~--share is given twice
s|^RUN_OPTIONS=.*|RUN_OPTIONS=(--print-job)|~with --print-job in RUN_OPTIONS nothing is measured
END
grep -q 'Usage: slurm/submit' <<<"$("$SOURCE/slurm/submit" --help)" || fail "submit --help"
WARPSWEEP_SITE=$D/none.env "$SOURCE/slurm/submit" --dry-run >"$D/said.txt" 2>&1 || true
grep -q 'with the settings of site.env.example' "$D/said.txt" || fail "submit --dry-run without site.env: $(<"$D/said.txt")"
site "OUTPUT=$D/x.h5" GPU_TYPE=h100 CONSTRAINT=fast
"$SOURCE/slurm/submit" --dry-run --time=5 "--comment=two words" >"$D/said.txt"
eval "words=($(sed -n 1p "$D/said.txt"))" # a shell reads what it prints as what is submitted
for word in --gpus-per-node=h100:4 --constraint=fast --time=5 "--comment=two words" "$SOURCE/slurm/warpsweep.sbatch"; do
    printf '%s\n' "${words[@]}" | grep -xF -e "$word" >/dev/null || fail "submit --dry-run lacks '$word': $(<"$D/said.txt")"
done
mini_is_empty || fail "--dry-run has submitted something"
echo "mistakes found, after $SECONDS s"

# ---- Edited for the next job while the first one waits; what conda and Intel write: unset variables, commands that fail on the way
scontrol update NodeName="node[1-2]" State=DRAIN Reason=queue
site "OUTPUT=$D/first.h5"
# shellcheck disable=SC2016
sed -i 's|^ *: *# module load.*|    PROMPT="(env) $PROMPT_THAT_NO_JOB_HAS"; [[ -e /opt/none ]]; false \| true; cd /|' "$D/site.env"
first=$(submit --parsable --output="$D/first.log.txt")
site "OUTPUT=$D/second.h5" "JOB_FILE=$D/none.yaml"
scontrol update NodeName="node[1-2]" State=RESUME
until_it has_ended "$first" || fail "the first job does not end"
is_in_state "$first" COMPLETED || fail "the first job is $(state_of "$first")"
is_as_undisturbed "$D/first.h5"
logged "$D/first.log.txt" "with the settings in .*/slurm-jobs/"

# ---- What fails on the compute node alone: the log says it, and the job is no success
while IFS='~' read -r command text; do
    site "OUTPUT=$D/node.h5"
    sed -i "s|^ *: *# module load.*|    [[ -z \${SLURM_JOB_ID:-} ]] \|\| $command|" "$D/site.env"
    job=$(submit --parsable --output="$D/node.log.txt" --open-mode=truncate)
    until_it has_ended "$job" || fail "$command: the job does not end"
    is_in_state "$job" FAILED || fail "$command: the job is $(state_of "$job")"
    logged "$D/node.log.txt" "^20.*Z load_modules of .*$text"
    [[ ! -e $D/node.h5 ]] || fail "$command: something was measured"
done <<END
false~fails: its last command ended with exit code 1
exit 0~ended the script with exit code 0: exit 0
END
echo "settings of another day, modules of a node, after $SECONDS s"

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
