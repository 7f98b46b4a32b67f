# shellcheck shell=bash
# Sourced by the scripts beside it: how they read site.env and load modules, start readers, and end.

# In front of programs that read results files: the job's environment may name another Python, or a locale that this node lacks.
own_environment=(env -u PYTHONPATH -u PYTHONHOME -u LANGUAGE LC_ALL=C.UTF-8)
inside=() # in front of a program that runs here alone, in the container of site.env
reader() { "${own_environment[@]}" "${inside[@]}" "$WARPSWEEP" "$@"; }

# member NAME...: of the object `status -f json` in $json, such as `member points left`; nothing where there is none. Quotes within
# texts are escaped, so that a name in quotes is a name.
json=''
member() {
    local rest=$json name
    for name; do
        [[ $rest == *"\"$name\":"* ]] || return 0
        rest=${rest#*"\"$name\":"}
    done
    [[ $rest =~ ^\ *\"?([^\",}]*) ]] && echo "${BASH_REMATCH[1]}"
}

say() { echo "$(date -u +%FT%TZ) $*"; }

# `end CODE TEXT...`, or `leave CODE` without a line, is how these scripts end. Everything else that ends them, such as an exit in
# site.env, gets a line too, and is never a success: Slurm would show COMPLETED for a job that measured nothing.
doing='a command of this script' leaving=''
leave() {
    leaving=1
    exit "$1"
}
end() {
    local code=$1
    shift
    say "$@"
    leave "$code"
}
# shellcheck disable=SC2317 # a trap calls it
on_exit() {
    local code=$?
    [[ ! $leaving ]] || exit "$code"
    say "$doing ended the script with exit code $code: $BASH_COMMAND"
    exit 2
}

# What sites write (conda activate, Intel's setvars.sh, module) reads unset variables and has commands that fail on the way.
lenient() { # lenient WHAT: until strict
    doing=$1
    set +eu +o pipefail
}
strict() { # strict CODE: of the last command
    set -euo pipefail
    (($1 == 0)) || end 2 "$doing fails: its last command ended with exit code $1"
    doing='a command of this script'
}
# shellcheck disable=SC2154 # who sources this sets site
use_modules() {
    lenient "load_modules of $site"
    load_modules
    strict $?
}

# The container of site.env, called in the folder of the job. Sets `inside`; `step`, options of srun; and `task`, in front of the program
# of a task. Folders have their own paths inside. The job's environment is passed, without its Python; PMIx talks to Slurm through
# files in a folder that only the task knows, which pyxis mounts itself.
CONTAINER='' CONTAINER_IMAGE='' CONTAINER_OPTIONS=()
step=() task=()
# shellcheck disable=SC2016,SC2034 # the task's shell expands it; who sources this uses them
use_container() {
    local cache=${WARPSWEEP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpsweep} folder mounts='' clean=(env -u PYTHONPATH -u PYTHONHOME)
    [[ $CONTAINER ]] || return 0
    [[ $CONTAINER == apptainer || $CONTAINER == pyxis ]] ||
        end 2 "$site: CONTAINER is '$CONTAINER'; expected apptainer, pyxis, or nothing"
    [[ $LAUNCHER == srun ]] || end 2 "$site: with CONTAINER, LAUNCHER is srun: mpirun would need the MPI of the image on each node"
    [[ $CONTAINER_IMAGE ]] || end 2 "$site does not set CONTAINER_IMAGE"
    [[ $CONTAINER_IMAGE == *[:#]* || -e $CONTAINER_IMAGE ]] || end 2 "$site: there is no CONTAINER_IMAGE '$CONTAINER_IMAGE'"
    mkdir -p "$cache"
    export WARPSWEEP_CACHE=$cache
    for folder in "$PWD" "$(dirname "$OUTPUT")" "$(dirname "$JOB_FILE")" "$cache"; do
        folder=$(realpath "$folder")
        [[ $folder != *[:,]* ]] || end 2 "the path $folder has a ':' or a ',', which cannot be mounted in a container; use another folder"
        [[ ,$mounts, == *",$folder:$folder,"* ]] || mounts+=${mounts:+,}$folder:$folder
    done
    if [[ $CONTAINER == pyxis ]]; then
        step=(--container-image="$CONTAINER_IMAGE" --container-mounts="$mounts" --container-workdir="$PWD" "${CONTAINER_OPTIONS[@]}")
        inside=("${clean[@]}" srun --overlap --nodes=1 --ntasks=1 --mpi=none "${step[@]}")
        task=("${clean[@]}")
    else
        inside=("${clean[@]}" apptainer exec --bind "$mounts" "${CONTAINER_OPTIONS[@]}" "$CONTAINER_IMAGE")
        task=("${clean[@]}" bash -c
            '[[ ! $PMIX_SERVER_TMPDIR ]] || export APPTAINER_BIND=${APPTAINER_BIND:+$APPTAINER_BIND,}$PMIX_SERVER_TMPDIR; exec "$@"' task
            apptainer exec --nv --bind "$mounts" "${CONTAINER_OPTIONS[@]}" "$CONTAINER_IMAGE")
    fi
}
