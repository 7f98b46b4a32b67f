# record.sh WARPSWEEP: what a file says of the machine, the build, the batch job and the run, as appendices on artifacts ask for it.
. "$(dirname "$0")/common.sh"

unset APPTAINER_CONTAINER SINGULARITY_CONTAINER SLURM_CONTAINER
export SLURM_JOB_PARTITION=gpu SLURM_GPUS_ON_NODE=4 SLURM_CONTAINER_IMAGE=hpc.sif
SLURM_JOB_USER=somebody WARPSWEEP_FAKE=sleep=20ms launch 0 2 -o r.h5 --backend fake --only size=1MiB --only stride=1
for pair in SLURM_JOB_PARTITION=gpu SLURM_GPUS_ON_NODE=4 container_image=hpc.sif compiler compiler_flags=-O \
    cuda_toolkit hdf5=1. mpi filesystem end=20 setup_seconds execution_seconds disk_written; do
    value=${pair#"${pair%%=*}"}
    environment r.h5 "${pair%%=*}" "${value#=}"
done
h5dump -d /environment r.h5 | grep -q somebody && fail "the file has the name of the user"
for column in cpu distribution sockets cores memory hypervisor container; do
    [ -n "$(rows r.h5 "device.host_$column" -n 1 --where status=ok)" ] || fail "no host_$column"
done
written=$(h5dump -d /environment r.h5 | grep -A1 '"disk_written' | sed -n 's/^[^"]*"\([0-9]*\).*/\1/p' | tail -n 1)
[ "$written" -gt "$(wc -c <r.h5)" ] || fail "only $written bytes were written"

# A run that has nothing to do adds nothing, a second one has its own.
cp r.h5 before.h5
launch 0 2 -o r.h5 --backend fake --only size=1MiB --only stride=1 --resume
cmp r.h5 before.h5 || fail "a run without anything to do changed the file"
launch 0 2 -o r.h5 --backend fake --only size=1MiB --only stride=1,2 --resume
expect "dates of ends" "$(h5dump -d /environment r.h5 | grep -c '"end')" 2
