#!/usr/bin/env bash
# Completion, asked of the program and, where they are installed, typed in bash, zsh and fish.
source "$(dirname "$0")/setup.sh"
cd "$D"
w() { "$WARPSWEEP" "$@"; }
offers() { # offers WANTED WORD...: WANTED is among the candidates
    local wanted=$1
    shift
    w __complete "$@" >got
    cut -f 1 got | has -xF -- "$wanted" || fail "completing '$*' does not offer '$wanted': $(cut -f 1 got | sed -n 1,5p)"
}
no_offer() { # no_offer UNWANTED WORD...
    local unwanted=$1
    shift
    w __complete "$@" >got
    ! cut -f 1 got | has -xF -- "$unwanted" || fail "completing '$*' offers '$unwanted'"
}
printf 'sweeps: [{kernel: gather}]\n' >job.yaml

# Every command, and every option that its help lists.
w --help | sed -n '/^Commands:/,/^$/p' | sed -n 's/^  \([a-z]*\) .*/\1/p' >names
[[ $(wc -l <names) -ge 9 ]] || fail "commands: $(cat names)"
while read -r name; do
    offers "$name" ''
    w "$name" --help | sed -n '/^Options:/,/^Examples:/p' | sed -n 's/^  ..... *\(--[a-z-]*\).*/\1/p; s/^  -., \(--[a-z-]*\).*/\1/p' >options
    [[ -s options ]] || fail "$name has no options in its help"
    while read -r option; do offers "$option" "$name" --; done <options
done <names

# Values: kernels, axes of the job's kernel, their words, columns of the file, counter sets, figures, words of options.
offers copy run --kernel ''
offers gather kernels ''
offers memory run job.yaml --counters ''
offers memory run --counters mem
offers --counters=memory run --counters=mem
offers stride= run --kernel copy --set s
offers index_dtype= run job.yaml --only ''
no_offer tile_bytes= run job.yaml --only ''
offers variant=load,store run --kernel copy --set variant=load,st
offers index_dtype= check job.yaml --set ''
offers stride= check --kernel copy --only str
offers variant=load points --kernel copy --set variant=lo
offers '/files .yaml .yml' check ''
offers '/files .yaml .yml' points ''
offers '/files .h5 .yaml .yml' predict ''
offers bandwidth table s.h5 -c band
offers kernel,bandwidth table s.h5 -c kernel,band
offers -bandwidth table s.h5 -s -band
offers device.peak_copy table s.h5 -c device.peak_c
no_offer index_dtype table s.h5 -c ''
offers index_dtype table -c ''
offers dtype=f32 table s.h5 -w dtype=f
offers stride= table s.h5 -w stri
offers tsv table s.h5 -f ''
offers b200 points job.yaml --profile b
offers sm_90a check job.yaml --arch sm_9
offers '/files .yaml .yml' run ''
w __complete && w __complete nonsense '' >got && [[ ! -s got ]] || fail "a command that there is not"
w __complete run --nonsense= >got && [[ ! -s got ]] || fail "an option that there is not"
offers GH100 counters --chip GH

# The shells.
PATH=$(dirname "$WARPSWEEP"):$PATH
scripts=$BUILD/completion
typed_in_bash() {
    bash --norc -c 'compopt() { :; }; source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _warpsweep; printf "%s\n" "${COMPREPLY[@]}"' \
        - "$scripts/bash/warpsweep" "$1"
}
typed_in_fish() { fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$scripts/fish/warpsweep.fish" "$1" | cut -f 1; }
# The line as zsh has it after a tab.
typed_in_zsh() {
    zsh -f -c '
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "PS1=; PS2=; fpath=($2 \$fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep; print rea\"\"dy"
        zpty -r -m z line "*ready*"
        zpty -w -n z "$3"$'"'\\t'"'
        sleep 3
        zpty -w -n z $'"'\\x15'"'"print -r -- do\"\"ne"$'"'\\n'"'
        zpty -r -m z line "*done*"
        print -r -- "$line"
        zpty -d z' - - "$scripts/zsh" "$1" | tr -d '\r'
}
[[ $(typed_in_bash 'warpsweep tabl') == table ]] || fail "bash: a command: $(typed_in_bash 'warpsweep tabl')"
[[ $(typed_in_bash 'warpsweep run --kernel copy --set variant=lo') == load ]] || fail "bash: a value behind ="
[[ $(typed_in_bash 'warpsweep table s.h5 --columns kernel,bandwidth_l') == kernel,bandwidth_low ]] || fail "bash: a list"
[[ $(typed_in_bash 'warpsweep status ') == s.h5 ]] || fail "bash: files: $(typed_in_bash 'warpsweep status ')"
[[ $(typed_in_bash 'warpsweep check jo') == job.yaml ]] || fail "bash: jobs: $(typed_in_bash 'warpsweep check jo')"
if command -v fish >/dev/null; then
    [[ $(typed_in_fish 'warpsweep tabl') == table ]] || fail "fish: a command: $(typed_in_fish 'warpsweep tabl')"
    [[ $(typed_in_fish 'warpsweep run --kernel copy --set variant=lo') == variant=load ]] || fail "fish: a value behind ="
    [[ $(typed_in_fish 'warpsweep status s') == s.h5 ]] || fail "fish: files: $(typed_in_fish 'warpsweep status s')"
else
    echo "no fish here"
fi
if command -v zsh >/dev/null; then
    typed_in_zsh 'warpsweep run --app' >got
    grep -q -- '--append-device' got || fail "zsh: an option: $(cat got)"
    typed_in_zsh 'warpsweep table s.h5 -c kernel,bandwidth_l' >got
    grep -q 'kernel,bandwidth_low' got || fail "zsh: a list: $(cat got)"
    typed_in_zsh 'warpsweep status s' >got
    grep -q 's\.h5' got || fail "zsh: files: $(cat got)"
else
    echo "no zsh here"
fi
