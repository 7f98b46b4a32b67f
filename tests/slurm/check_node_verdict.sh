#!/usr/bin/env bash
# slurm/check-node acts on verdicts that it has read, never on an exit code alone: with a Python that cannot run judge, a good node is
# "not measured". Needs no Slurm: nvidia-smi, mpirun and scontrol are stand-ins, and the run's result is a shipped file.
set -euo pipefail
unset WARPSWEEP_PYTHON PYTHONHOME PYTHONPATH
D=$(mktemp -d /tmp/warpsweep-verdict.XXXXXX)
trap 'rm -rf "$D"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
mkdir "$D/bin" "$D/unfit" "$D/old"
# shellcheck disable=SC2016
printf '%s\n' '#!/bin/sh' 'case $1 in --query-gpu=*) printf "$GPUS" ;; --query-compute-apps=*) printf "$PROGRAMS" ;; esac' >"$D/bin/nvidia-smi"
# shellcheck disable=SC2016
printf '%s\n' '#!/bin/bash' 'echo "$*: $CUDA_VISIBLE_DEVICES, $CUDA_MPS_PIPE_DIRECTORY" >"$STARTED"' 'while [ "$1" != -o ]; do shift; done' 'cp "$RESULT" "$2"' 'exit "${RUN_CODE:-0}"' >"$D/bin/mpirun"
# shellcheck disable=SC2016
printf '%s\n' '#!/bin/sh' "echo \"\$*\" >>'$D/scontrol'" >"$D/bin/scontrol"
printf '%s\n' '#!/bin/sh' 'echo "SyntaxError: invalid syntax" >&2' 'exit 1' >"$D/python3.6"
printf '%s\n' '#!/bin/sh' 'ulimit -v 40000' 'exec /usr/bin/python3 "$@"' >"$D/little_memory"
chmod +x "$D"/bin/* "$D/python3.6" "$D/little_memory"
echo 'raise ValueError("numpy.dtype size changed, may indicate binary incompatibility")' >"$D/unfit/h5py.py"
echo 'import sys; sys.version_info = (3, 8, 10, "final", 0)' >"$D/old/sitecustomize.py"

node() { # node SETTING...: its exit code in `code`, what it said in $D/said, what it asked of Slurm in $D/scontrol
    rm -f "$D/scontrol" "$D/started"
    code=0
    env 'GPUS=0, GPU-a, Disabled\n' PROGRAMS= "STARTED=$D/started" "RESULT=$SOURCE/analysis/data/h200-judge.h5" "WARPSWEEP=$WARPSWEEP" "PATH=$D/bin:/usr/bin:/bin" "$@" \
        bash "$SOURCE/slurm/check-node" >"$D/said" 2>&1 || code=$?
}
node
[[ $code == 0 || $code == 3 ]] || fail "a good node: $code: $(<"$D/said")"
[[ $code == 0 ]] || { echo "skipped: no Python that can judge: $(<"$D/said")"; exit 77; }
[[ ! -e $D/scontrol ]] || fail "a good node is drained: $(<"$D/scontrol")"

# What the job around it has set for its own Python does not reach judge.
node "PYTHONPATH=$D/old:$D/unfit" PYTHONHOME=/nonexistent
[[ $code == 0 && ! -e $D/scontrol ]] || fail "PYTHONPATH or PYTHONHOME reaches judge: $code: $(<"$D/said")"

# An interpreter that begins with a folder of modules that do not fit it
unfit() {
    printf '%s\n' '#!/bin/sh' "PYTHONPATH=$D/$1\${PYTHONPATH:+:\$PYTHONPATH} exec python3 \"\$@\"" >"$D/python_$1"
    chmod +x "$D/python_$1"
}
unfit old
unfit unfit
for broken in "WARPSWEEP_PYTHON=$D/python3.6" "WARPSWEEP_PYTHON=$D/little_memory" "WARPSWEEP_PYTHON=$D/python_old" \
    "WARPSWEEP_PYTHON=$D/python_unfit" "WARPSWEEP_PYTHON=/nonexistent"; do
    for context in none epilog_slurmd; do
        expected=3
        [[ $context == none ]] || expected=0
        # shellcheck disable=SC2086 # settings are words
        node "SLURM_SCRIPT_CONTEXT=$context" $broken
        [[ ! -e $D/scontrol ]] || fail "$broken: a good node is drained: $(<"$D/scontrol")"
        [[ $code == "$expected" ]] || fail "$broken, as '$context': exit code $code: $(<"$D/said")"
        grep -q 'was not measured' "$D/said" || fail "$broken: $(<"$D/said")"
    done
done

# GPUs in MIG mode are left out, and said; where an MPS server runs nothing is measured. Neither drains.
node 'GPUS=0, GPU-a, Enabled\n1, GPU-b, Disabled\n2, GPU-c, [N/A]\n'
[[ $code == 0 && ! -e $D/scontrol ]] || fail "one of three GPUs in MIG mode: $code: $(<"$D/said")"
grep -q 'MIG divides GPU 0: an instance has a part of the multiprocessors' "$D/said" || fail "MIG: $(<"$D/said")"
grep -q -e '-n 2 .*: GPU-b,GPU-c, /.' "$D/started" || fail "MIG: started $(<"$D/started")"
node 'GPUS=0, GPU-a, Enabled\n1, GPU-b, Enabled\n'
[[ $code == 3 && ! -e $D/scontrol && ! -e $D/started ]] || fail "all GPUs in MIG mode: $code: $(<"$D/said")"
grep -q 'was not measured: MIG divides GPU 0, 1: .*no whole GPU' "$D/said" || fail "MIG: $(<"$D/said")"
node 'PROGRAMS=./reader\n/usr/bin/nvidia-cuda-mps-server\n'
[[ $code == 3 && ! -e $D/scontrol && ! -e $D/started ]] || fail "MPS: $code: $(<"$D/said")"
grep -q 'was not measured: an MPS server runs' "$D/said" || fail "MPS: $(<"$D/said")"
node 'GPUS=NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.\n'
[[ $code == 3 && ! -e $D/started ]] || fail "no driver: $code: $(<"$D/said")"

# A run that ends with 1 without naming a point that failed is no verdict; nor is one of a machine that could not be judged.
node RUN_CODE=1
[[ $code == 3 && ! -e $D/scontrol ]] || fail "exit code 1 of mpirun: $code: $(<"$D/said")"
node "RESULT=$SOURCE/analysis/data/h200-torch.h5"
[[ $code == 3 && ! -e $D/scontrol ]] || fail "a machine that was not judged in full: $code: $(<"$D/said")"

# A verdict drains.
printf '%s\n' '#!/bin/sh' 'echo "## Device 0: a GPU: NOT AS IT SHOULD BE"' 'exit 1' >"$D/slow"
chmod +x "$D/slow"
node "WARPSWEEP=$D/slow"
[[ $code == 1 ]] || fail "a bad node: exit code $code: $(<"$D/said")"
grep -q 'State=DRAIN Reason=warpsweep: Device 0: a GPU: NOT AS IT SHOULD BE' "$D/scontrol" || fail "$(<"$D/scontrol")"
