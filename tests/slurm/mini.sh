# shellcheck shell=bash
# Sourced: mini_start makes a Slurm of two nodes with four "GPUs" each in $D; mini_stop ends it. Needs slurm-wlm and
# munge. MINI_EDIT: sed expressions for slurm.conf, whose limits allow for a busy machine; MINI_NODE_SETUP: shell text in each node's own mount namespace. As root each node has a host name and a /dev/shm of its own, as real ones have.
export PATH=$PATH:/usr/sbin:/sbin

MINI_EDIT=(${MINI_EDIT[@]+"${MINI_EDIT[@]}"})

mini_is_possible() {
    local tool
    for tool in slurmctld slurmd munged sbatch srun scancel scontrol squeue; do
        command -v "$tool" >/dev/null || { echo "skipped: no $tool (slurm-wlm, munge)"; return 1; }
    done
}

# The first of three ports that nobody listens on, below those that the system hands out to connections.
mini_free_ports() {
    local port=$((20000 + $$ % 4000 * 3))
    while (: <"/dev/tcp/127.0.0.1/$port" || : <"/dev/tcp/127.0.0.1/$((port + 1))" ||
        : <"/dev/tcp/127.0.0.1/$((port + 2))") 2>/dev/null; do
        port=$((20000 + RANDOM % 4000 * 3))
    done
    echo "$port"
}

mini_configure() {
    local me port host node
    me=$(id -un) host=$(hostname -s) port=$(mini_free_ports)
    mkdir -p "$D/state"
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
SlurmdPidFile=$D/slurmd.%n.pid
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool.%n
TmpFS=$D/tmp.%n
SlurmctldLogFile=$D/slurmctld.log
SlurmdLogFile=$D/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$D/ports
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
KillWait=30
SlurmdTimeout=300
MessageTimeout=60
TCPTimeout=30
BatchStartTimeout=300
MinJobAge=3600
GresTypes=gpu
END
    for node in 1 2; do
        echo "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + node)) CPUs=8 Boards=1" \
            "SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=6000 Gres=gpu:4 State=UNKNOWN" \
            >>"$D/slurm.conf"
    done
    echo 'PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP' >>"$D/slurm.conf"
    sed -i -e '' "${MINI_EDIT[@]}" "$D/slurm.conf"
    echo 'AutoDetect=off' >"$D/gres.conf"
    for device in null zero full random; do
        echo "Name=gpu File=/dev/$device" >>"$D/gres.conf"
    done
    echo 'CgroupPlugin=cgroup/v1' >"$D/cgroup.conf"
    # Both nodes have one address. Open MPI's ranks of both took the first free ports from 1024 on, beside those that a killed start had
    # left: once a rank met somebody else at a port, and died. So each node of each cluster has ports of its own, as two hosts would.
    printf '#!/bin/sh\necho "export OMPI_MCA_btl_tcp_port_min_v4=$((%d + 512 * ${SLURMD_NODENAME#node}))"\n%s\n' \
        $((1024 + $$ % 16 * 1024)) 'echo "export OMPI_MCA_btl_tcp_port_range_v4=512"' >"$D/ports"
    chmod +x "$D/ports"
    echo "127.0.0.1 localhost $host node1 node2" >"$D/hosts"
    head -c 128 /dev/urandom >"$D/munge.key"
    chmod 600 "$D/munge.key"
}

# A node that was killed comes back with empty folders, as one that has another disk: pmix would find "File exists".
# The variable finds a node's processes again: slurmd hands its environment to all that it starts.
mini_start_node() { # mini_start_node 1
    rm -rf "$D/spool.node$1" "$D/tmp.node$1"
    mkdir -p "$D/spool.node$1" "$D/tmp.node$1"
    local start="exec slurmd -N node$1 -f '$D/slurm.conf'"
    if unshare --uts --mount true 2>/dev/null; then
        WARPSWEEP_MINI_NODE=$D/node$1 unshare --uts --mount sh -c \
            "hostname node$1; mount --bind '$D/hosts' /etc/hosts; mount -t tmpfs -o mode=1777 tmpfs /dev/shm; ${MINI_NODE_SETUP:-:}; $start"
    else
        WARPSWEEP_MINI_NODE=$D/node$1 sh -c "$start"
    fi
}

# All of a node's processes at once, as when its power fails.
mini_kill_node() { # mini_kill_node 2
    local environment pid pids=()
    for environment in /proc/[0-9]*/environ; do
        pid=${environment#/proc/} pid=${pid%/environ}
        if tr '\0' '\n' 2>/dev/null <"$environment" | grep -xE "WARPSWEEP_MINI_NODE=$D/node$1|SLURMD_NODENAME=node$1" \
            >/dev/null && tr '\0' '\n' 2>/dev/null <"$environment" | grep -F "$D" >/dev/null; then
            pids+=("$pid")
        fi
    done 2>/dev/null
    echo "node$1: ${#pids[@]} processes"
    ((${#pids[@]} == 0)) || kill -KILL "${pids[@]}" 2>/dev/null || true
}

mini_is_idle() { # mini_is_idle NODES
    [[ $(scontrol show node 2>/dev/null | grep -c 'State=IDLE ') == "$1" ]]
}

# until_it COMMAND...: wait for it to succeed, four minutes at least.
until_it() {
    local try
    for ((try = 0; try < 2400; try++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}

mini_start() {
    export SLURM_CONF=$D/slurm.conf
    mini_configure
    munged --key-file="$D/munge.key" --socket="$D/munge.sock" --pid-file="$D/munged.pid" \
        --log-file="$D/munged.log" --seed-file="$D/munged.seed" --num-threads=2 --force
    slurmctld -c -f "$D/slurm.conf"
    mini_start_node 1
    mini_start_node 2
    until_it mini_is_idle 2 && return 0
    tail -n 20 "$D"/slurmctld.log "$D"/slurmd.*.log >&2
    return 1
}

mini_is_empty() { [[ -z $(squeue -h 2>/dev/null) ]]; }

mini_stop() {
    local pid_file
    scancel --user="$(id -un)" 2>/dev/null || true
    for _ in $(seq 50); do
        ! mini_is_empty || break
        sleep 0.1
    done
    for pid_file in "$D"/slurmd.*.pid "$D"/slurmctld.pid "$D"/munged.pid; do
        [[ ! -s $pid_file ]] || kill "$(<"$pid_file")" 2>/dev/null || true
    done
    sleep 0.5
}
