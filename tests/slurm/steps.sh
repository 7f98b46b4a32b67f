#!/usr/bin/env bash
# Steps: one task needs no MPI; ranks get the processors of site.env; two products in one run and the processes of another MPI are
# refused before a file is touched.
set -euo pipefail
MINI_EDIT=(-e 's/^MpiDefault=.*/MpiDefault=none/' -e 's/^TaskPlugin=.*/TaskPlugin=task\/affinity/' -e 's/CPUs=8/CPUs=2 CpuBind=cores/'
    -e 's/CoresPerSocket=8/CoresPerSocket=2/')
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
run=("$WARPSWEEP" run "$D/job.yaml" --backend fake -o)
export WARPSWEEP_FAKE=sleep=1ms

timeout 60 srun --gpus=1 "${run[@]}" "$D/one.h5" >"$D/one.log.txt" 2>&1 || fail "srun without PMIx"
timeout 60 srun --mpi=pmix --gpus=1 bash -c "${run[*]} $D/two.h5 && ${run[*]} $D/three.h5" >"$D/two.log.txt" 2>&1 ||
    fail "two runs in a step"
is_as_undisturbed "$D/three.h5"
echo "one task, after $SECONDS s"

if (($(nproc) >= 2)); then
    printf '%s\n' '#!/bin/bash' "[[ \$* != *--print-job* ]] && echo \"rank \$SLURM_PROCID: \$(nproc) cores\"" 'exit 0' >"$D/probe"
    chmod +x "$D/probe"
    site NODES=2 GPUS_PER_NODE=1 CPUS_PER_GPU=2 "WARPSWEEP='$D/probe'" "OUTPUT=$D/cores.h5"
    job=$(submit --parsable --output="$D/cores.log.txt")
    until_it has_ended "$job" || fail "cores: the job does not end"
    (($(grep -c ': 2 cores' "$D/cores.log.txt") == 2)) || fail "ranks do not have CPUS_PER_GPU=2 cores"
fi

export WARPSWEEP_FAKE='sleep=1ms;product=2:rank=1'
site GPUS_PER_NODE=2 CPUS_PER_GPU=1 "OUTPUT=$D/products.h5"
job=$(submit --parsable --output="$D/products.log.txt")
until_it has_ended "$job" || fail "products: the job does not end"
is_in_state "$job" FAILED || fail "products: $(state_of "$job")"
logged "$D/products.log.txt" 'the ranks have different products: rank 0 on node1 .* rank 1 on node1'
[[ ! -e $D/products.h5 ]] || fail "products: something was measured"

# As the mpirun of another MPI starts it: told of four processes, connected to none.
code=0
PMI_SIZE=4 PMI_RANK=0 "${run[@]}" "$D/foreign.h5" 2>"$D/foreign.log.txt" || code=$?
((code == 3)) || fail "a launcher of another MPI: exit code $code"
logged "$D/foreign.log.txt" 'started 4 processes, which cannot connect'
[[ ! -e $D/foreign.h5 ]] || fail "a launcher of another MPI: something was measured"
echo "processors and products, after $SECONDS s"
