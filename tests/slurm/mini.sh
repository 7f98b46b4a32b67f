# shellcheck shell=bash
# Sourced: mini_start makes a Slurm of one node with two "GPUs" in $D; mini_stop ends it. Needs slurm-wlm and munge.
export PATH=$PATH:/usr/sbin:/sbin

mini_is_possible() {
    local tool
    for tool in slurmctld slurmd munged sbatch srun scancel scontrol squeue; do
        command -v "$tool" >/dev/null || { echo "skipped: no $tool (slurm-wlm, munge)"; return 1; }
    done
}

mini_configure() {
    local me port host
    me=$(id -un) host=$(hostname -s) port=$((20000 + $$ % 10000 * 2))
    mkdir -p "$D/state" "$D/spool" "$D/tmp"
    cat >"$D/slurm.conf" <<END
ClusterName=mini
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$D/munge.sock
CredType=cred/munge
SlurmctldPort=$port
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPidFile=$D/slurmctld.pid
SlurmdPidFile=$D/slurmd.pid
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool
TmpFS=$D/tmp
SlurmctldLogFile=$D/slurmctld.log
SlurmdLogFile=$D/slurmd.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmix
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_min_interval=0,sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
KillWait=5
MinJobAge=3600
GresTypes=gpu
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    printf 'AutoDetect=off\nName=gpu File=/dev/null\nName=gpu File=/dev/zero\n' >"$D/gres.conf"
    echo 'CgroupPlugin=cgroup/v1' >"$D/cgroup.conf"
    head -c 128 /dev/urandom >"$D/munge.key"
    chmod 600 "$D/munge.key"
}

mini_start() {
    export SLURM_CONF=$D/slurm.conf
    mini_configure
    munged --key-file="$D/munge.key" --socket="$D/munge.sock" --pid-file="$D/munged.pid" \
        --log-file="$D/munged.log" --seed-file="$D/munged.seed" --num-threads=2 --force
    slurmctld -c -f "$D/slurm.conf"
    slurmd -N node1 -f "$D/slurm.conf"
    for _ in $(seq 100); do
        scontrol show node node1 2>/dev/null | grep -q 'State=IDLE' && return 0
        sleep 0.1
    done
    tail -n 20 "$D"/slurmctld.log "$D"/slurmd.log >&2
    return 1
}

mini_stop() {
    local pid_file
    scancel --user="$(id -un)" 2>/dev/null || true
    for _ in $(seq 50); do
        [[ -z $(squeue -h 2>/dev/null) ]] && break
        sleep 0.1
    done
    for pid_file in "$D"/slurmd.pid "$D"/slurmctld.pid "$D"/munged.pid; do
        [[ ! -s $pid_file ]] || kill "$(<"$pid_file")" 2>/dev/null || true
    done
    sleep 0.5
}
