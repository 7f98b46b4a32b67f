# The commands of docs/launchers.md run as they are there: mpirun over a stand-in of ssh on two simulated hosts, with ranks that see all
# devices of their host; Flux and PALS by stand-ins that accept the options of the page only and set what those set.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
unset OMPI_MCA_pml
export OMPI_MCA_btl=self,tcp OMPI_MCA_rmaps_base_oversubscribe=1 # the hosts share one /dev/shm
page=$here/../../docs/launchers.md
job '{max_time: 1s, replicates: 1}' <<'JOB'
  - kernel: copy
    axes: {size: 1MiB, stride: [1, 2, 4, 8]}
  - kernel: peer_copy
    axes: {pair: [0-1, 3-2], size: 1MiB}
JOB
mpirun=$(command -v mpirun)
mkdir bin
script() { cat >"bin/$1" && chmod +x "bin/$1"; }
script warpsweep <<END
#!/bin/bash
[[ " \$* " == *' --backend cuda'* ]] || { echo "no --backend cuda: \$*" >&2; exit 2; }
exec "$WARPSWEEP" "\${@/#cuda/fake}"
END
script ssh <<END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
echo "\$1" >>"$folder/reached"
export TMPDIR="$folder/\$1" # hosts share no /tmp: one daemon would remove the other's folder
mkdir -p "\$TMPDIR"
shift
exec bash -c "\$*"
END
# accepted OPTIONS... -- WORD...: the words behind the options, in the array `rest`
cat >accepted <<'END'
rest=()
accept() { # accept 'OPTION VALUE'... -- WORD...
    local known=() one found
    while [[ $1 != -- ]]; do known+=("$1"); shift; done
    shift
    while [[ ${1:-} == -* ]]; do
        found=
        for one in "${known[@]}"; do
            if [[ $one == "$1" ]]; then found=1; shift; break
            elif [[ $one == "$1 ${2:-}" ]]; then found=1; shift 2; break; fi
        done
        [[ $found ]] || { echo "unknown option: $*" >&2; exit 2; }
    done
    rest=("$@")
}
END
script flux <<END
#!/bin/bash
. "$folder/accepted"
case \$1 in
batch) shift; accept '-N 2' --exclusive '-t 120m' --wrap -- "\$@"; exec "\${rest[@]}" ;;
run) shift; accept '-N 2' --tasks-per-node=4 --cores-per-task=8 --gpus-per-task=1 '-o pmi=pmix' '-o gpu-affinity=on' -- "\$@" ;;
*) echo "flux \$1?" >&2; exit 2 ;;
esac
exec "$mpirun" -q --bind-to none -n 8 bash -c 'export FLUX_TASK_LOCAL_ID=\$OMPI_COMM_WORLD_LOCAL_RANK; exec "\$@"' task "\${rest[@]}"
END
script mpiexec <<END
#!/bin/bash
. "$folder/accepted"
accept '-n 8' '--ppn 4' '--cpu-bind depth' '--depth 8' -- "\$@"
exec "$mpirun" -q --bind-to none -n 8 bash -c 'export PALS_LOCAL_RANKID=\$OMPI_COMM_WORLD_LOCAL_RANK; exec "\$@"' task "\${rest[@]}"
END
export PATH="$folder/bin:$PATH" OMPI_MCA_plm_rsh_agent="$folder/bin/ssh"
printf '127.0.0.%s slots=4\n' 2 3 >hosts
printf '127.0.0.%s\n' 2 2 2 2 3 3 3 3 >nodefile
export PBS_O_WORKDIR=$folder PBS_NODEFILE=$folder/nodefile

# block HEADING: the code under a heading of the page
block() { sed -n "/^## $1\$/,/^## /p" "$page" | sed -n '/^```/,/^```$/{/^```/d;p}'; }
for name in 'mpirun over ssh' PBS Flux 'Cray PALS'; do
    rm -f results.h5* reached
    block "$name" >command
    [ -s command ] || fail "$name: the page has no command"
    timeout -k 5 100 bash command >log 2>&1 || fail "$name"
    logged 'on 8 ranks'
    expect "$name: ok" "$(points results.h5 --where status=ok)" 6
    case $name in mpirun* | PBS) expect "$name: hosts" "$(sort reached | tr '\n' ' ')" '127.0.0.2 127.0.0.3 ' ;; esac
done

# Kubernetes: the pod's command, and where the tool is there, the whole object
block Kubernetes >pod.yaml
sed -n 's/^ *command: //p' pod.yaml | python3 -c 'import json, shlex, sys; print(shlex.join(json.load(sys.stdin)))' >command || fail "the pod has no command"
rm -f results.h5*
timeout -k 5 100 bash command >log 2>&1 || fail "Kubernetes"
logged 'on 4 ranks'
expect "Kubernetes: ok" "$(points results.h5 --where status=ok)" 6
validate=$(dirname "$WARPSWEEP")/../packaging/bin/kubernetes-validate # ./quickstart weekly puts it there
if [ -x "$validate" ]; then
    sed 's|REGISTRY/||' pod.yaml >object.yaml
    "$validate" --strict object.yaml >log 2>&1 || fail "the Job is no object of Kubernetes"
else
    echo "no kubernetes-validate: the Job is not validated"
fi
