#!/usr/bin/env bash
# A job in a container, by apptainer and by pyxis, with stand-ins: the program is found in the image only, every folder that it uses is
# mounted, the job's Python does not reach it, and an array is merged there.
set -euo pipefail
# shellcheck source=tests/slurm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export WARPSWEEP_FAKE=sleep=1ms PYTHONPATH=/of/the/job
mkdir -p "$D/image.sif/bin" "$D/tools" "$D/out"
real_srun=$(command -v srun)
# Runs "$@" as a container would: it stops unless every path that is used is mounted, and has a PATH of its own.
cat >"$D/container" <<END
#!/usr/bin/env bash
mounts=,\$1,
image=\$2
shift 2
lacks() { echo "the container lacks \$1" >&2; exit 125; }
is_mounted() {
    local at
    for at in \${mounts//,/ }; do [[ \$1/ == "\${at#*:}"/* ]] && return; done
    lacks "\$1"
}
[[ -e \$image ]] || lacks "the image \$image"
[[ ! \${PYTHONPATH:-} ]] || lacks "an environment of its own: PYTHONPATH=\$PYTHONPATH"
is_mounted "\$PWD"
is_mounted "\${WARPSWEEP_CACHE:-/no/cache}"
[[ ! \${PMIX_SERVER_TMPDIR:-} || \${PYXIS:-} ]] || is_mounted "\$PMIX_SERVER_TMPDIR"
for word; do case \$word in /*.h5 | /*.yaml) is_mounted "\$(dirname "\$word")" ;; esac; done
echo "\$*" >>'$D/started'
PATH=\$image/bin:/usr/bin:/bin exec "\$@"
END
cat >"$D/tools/apptainer" <<END
#!/usr/bin/env bash
[[ \$1 == exec ]] || exit 125
shift
mounts=\${APPTAINER_BIND:-}
while [[ \$1 == -* ]]; do
    [[ \$1 != --bind ]] || { mounts+=,\$2; shift; }
    shift
done
exec '$D/container' "\$mounts" "\$@"
END
cat >"$D/tools/srun" <<END
#!/usr/bin/env bash
options=() image='' mounts=''
while [[ \${1:-} == -* ]]; do
    case \$1 in
    --container-image=*) image=\${1#*=} ;;
    --container-mounts=*) mounts=\${1#*=} ;;
    --container-workdir=* | --container-writable) ;;
    *) options+=("\$1") ;;
    esac
    shift
done
[[ ! \$image ]] || set -- env -u PYTHONPATH PYXIS=1 '$D/container' "\$mounts" "\$image" "\$@"
exec '$real_srun' "\${options[@]}" "\$@"
END
chmod +x "$D/container" "$D"/tools/*
ln -s "${WARPSWEEP%/*}"/* "$D/image.sif/bin/"
export PATH=$D/tools:$PATH

for kind in apptainer pyxis; do
    site NODES=2 GPUS_PER_NODE=2 WARPSWEEP=warpsweep CONTAINER=$kind "CONTAINER_IMAGE=$D/image.sif" "OUTPUT=$D/out/$kind.h5" SHARES=2 \
        "MERGE_OPTIONS=(--output=$D/$kind-merge.log.txt)"
    rm -f "$D/started"
    submit --output="$D/$kind-%a.log.txt" >"$D/submitted" 2>"$D/said.txt"
    merge=$(sed -n 's/^Submitted the merge of its files as job //p' "$D/submitted")
    until_it has_ended "$merge" || fail "$kind: the merge does not end"
    is_in_state "$merge" COMPLETED || fail "$kind: the merge is $(state_of "$merge"): $(<"$D/$kind-merge.log.txt")"
    is_as_undisturbed "$D/out/$kind.h5"
    (($(grep -c ' run .*--share' "$D/started") >= 8)) || fail "$kind: not every rank ran in the container: $(<"$D/started")"
    for command in status merge; do
        grep -q " $command " "$D/started" || fail "$kind: $command does not run in the container"
    done
done
grep -q 'pyxis starts containers in jobs only' "$D/said.txt" || fail "pyxis: submit does not say what it has not checked"

# Mistakes are found before the queue.
while IFS='~' read -r edit text; do
    site WARPSWEEP=warpsweep CONTAINER=apptainer "CONTAINER_IMAGE=$D/image.sif" "OUTPUT=$D/out/x.h5"
    sed -i "$edit" "$D/site.env"
    ! "$SOURCE/slurm/submit" >"$D/said.txt" 2>&1 || fail "submitted in spite of: $text"
    grep -q -e "$text" "$D/said.txt" || fail "submit does not say '$text': $(<"$D/said.txt")"
done <<END
s|^CONTAINER=.*|CONTAINER=docker|~CONTAINER is 'docker'; expected apptainer, pyxis
s|^CONTAINER_IMAGE=.*|CONTAINER_IMAGE=|~does not set CONTAINER_IMAGE
s|^CONTAINER_IMAGE=.*|CONTAINER_IMAGE=$D/none.sif|~there is no CONTAINER_IMAGE
s|^LAUNCHER=.*|LAUNCHER=mpirun|~with CONTAINER, LAUNCHER is srun
s|^CONTAINER_OPTIONS=.*|CONTAINER_OPTIONS=--nv|~CONTAINER_OPTIONS is a list
s|^JOB_FILE=.*|JOB_FILE=$D/nosuch.yaml|~nothing was submitted
END
echo "containers, after $SECONDS s"
