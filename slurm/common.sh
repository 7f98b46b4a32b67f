# shellcheck shell=bash
# Sourced by the scripts beside it: how they read site.env and load modules, start readers, and end.

# In front of programs that read results files: the job's environment may name another Python, or a locale that this node lacks.
own_environment=(env -u PYTHONPATH -u PYTHONHOME -u LANGUAGE LC_ALL=C.UTF-8)
reader() { "${own_environment[@]}" "$WARPSWEEP" "$@"; }

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
