# Tasks that srun has started but MPI cannot bring together end with one line that says what to start instead. Here
# srun is its environment only; tests/slurm has the real one.
. "$(dirname "$0")/common.sh"
export WARPSWEEP_FAKE=sleep=1ms

# as_task_of_srun ARGUMENT...: what follows NAME=VALUE pairs that stand in for srun.
as_task_of_srun() {
    timeout -k 5 60 env SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEPID=0 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 "$@" \
        >log 2>&1
    code=$?
}

as_task_of_srun SLURM_PROCID=0 "$WARPSWEEP" run job.yaml -o alone.h5 --backend fake
expect "exit code of a task without PMI" $code 3
expect "lines that it prints" "$(wc -l <log)" 1
logged 'srun started 4 tasks with --mpi=none.*use srun --mpi='

as_task_of_srun SLURM_PROCID=0 PMI_FD=99 PMI_RANK=0 PMI_SIZE=4 "$WARPSWEEP" run job.yaml -o alone.h5 --backend fake
expect "exit code of a task with the wrong PMI" $code 3
expect "lines that it prints" "$(wc -l <log)" 1
logged 'with --mpi=pmi2'

as_task_of_srun SLURM_PROCID=2 "$WARPSWEEP" run job.yaml -o alone.h5 --backend fake
expect "exit code of another task" $code 3
expect "lines that it prints" "$(wc -l <log)" 0
[ ! -e alone.h5 ] || fail "a task that is alone has measured"

# mpirun in an allocation brings its ranks together itself; no rank is one of srun's tasks.
as_task_of_srun SLURM_PROCID=0 mpirun -q --mca ras '^slurm' --mca plm isolated --oversubscribe -n 2 \
    "$WARPSWEEP" run job.yaml -o together.h5 --backend fake
expect "exit code under mpirun" $code 0
logged 'on 2 ranks'

SLURM_JOB_ID=1 SLURM_NTASKS=3 "$WARPSWEEP" run job.yaml -o one.h5 --backend fake >log 2>&1
expect "exit code of one rank in an allocation" $? 0
logged 'one rank in an allocation of 3 tasks'

# An MPI that cannot start: one line of ours, and no exit code that is a verdict.
OMPI_MCA_pml=nothing "$WARPSWEEP" run job.yaml -o none.h5 --backend fake >log 2>&1
expect "exit code without MPI" $? 3
expect "lines that it prints" "$(wc -l <log)" 1
logged 'warpsweep: MPI_Init failed: A requested component was not found.*; -v prints all that MPI says'
OMPI_MCA_pml=nothing "$WARPSWEEP" run job.yaml -o none.h5 --backend fake -v >log 2>&1
expect "exit code without MPI, with -v" $? 3
logged 'Component: nothing'
[ ! -e none.h5 ] || fail "a results file without MPI"
