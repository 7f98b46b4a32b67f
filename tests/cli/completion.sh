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
printf 'sweeps: [{kernel: gather}]\n' >job.yaml

# Every command, and every option that its help lists, of the program and of two readers in Python.
w --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' >names
[[ $(wc -l <names) -ge 19 ]] || fail "commands: $(cat names)"
w __complete '' | cut -f 1 >offered
while read -r name; do has -xF -- "$name" offered || fail "$name is not offered"; done <names
for name in $(w --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') show plot; do
    w "$name" --help | sed -n '/^Options:/,/^Examples:/s/^  ...,* *\(--[a-z-]*\).*/\1/p' >options
    [[ -s options ]] || fail "$name has no options in its help"
    w __complete "$name" -- | cut -f 1 | sort >offered
    sort options | cmp - offered || fail "options of $name: $(cat options)"
done

# A letter is the same option in every command.
while read -r name; do
    w "$name" --help | sed -n "/^Options:/,/^Examples:/s/^  -\(.\), \(--[a-z-]*\).*/\1 \2 $name/p"
done <names >letters
[[ $(wc -l <letters) -ge 60 ]] || fail "letters: $(<letters)"
cut -d ' ' -f 1,2 letters | sort -u | cut -d ' ' -f 1 | uniq -d >clashes
[[ ! -s clashes ]] || fail "letters with several meanings: $(grep -f clashes letters | grep "^[$(tr -d '\n' <clashes)] ")"

# Values: kernels and the words of options. Others are files, which the shell offers, or the user's own.
offers copy run --kernel ''
offers copy run -k ''
offers gather kernels ''
offers tsv table s.h5 -f ''
offers svg plot s.h5 --format ''
offers plot help pl
for words in 'table s.h5 -c' 'run -o' 'status'; do
    # shellcheck disable=SC2086 # words
    w __complete $words '' >got && [[ ! -s got ]] || fail "completing '$words': $(<got)"
done
w __complete && w __complete nonsense '' >got && [[ ! -s got ]] || fail "a command that there is not"
w __complete run --nonsense= >got && [[ ! -s got ]] || fail "an option that there is not"

# The shells.
PATH=$(dirname "$WARPSWEEP"):$PATH
scripts=$BUILD/completion
typed_in_bash() {
    bash --norc -c 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _warpsweep; printf "%s\n" "${COMPREPLY[@]}"' \
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
[[ $(typed_in_bash 'warpsweep table s.h5 --format c') == csv ]] || fail "bash: a value"
[[ $(typed_in_bash 'warpsweep plot --figu') == --figure ]] || fail "bash: an option of a reader"
[[ -z $(typed_in_bash 'warpsweep plot ') ]] || fail "bash: not its own files: $(typed_in_bash 'warpsweep plot ')"
if command -v fish >/dev/null; then
    [[ $(typed_in_fish 'warpsweep tabl') == table ]] || fail "fish: a command: $(typed_in_fish 'warpsweep tabl')"
    [[ $(typed_in_fish 'warpsweep run --kernel transp') == transpose ]] || fail "fish: a kernel"
    [[ $(typed_in_fish 'warpsweep status s') == s.h5 ]] || fail "fish: files: $(typed_in_fish 'warpsweep status s')"
else
    echo "no fish here"
fi
if command -v zsh >/dev/null; then
    typed_in_zsh 'warpsweep run --app' >got
    grep -q -- '--append-device' got || fail "zsh: an option: $(cat got)"
    typed_in_zsh 'warpsweep run --kernel transp' >got
    grep -q 'transpose' got || fail "zsh: a kernel: $(cat got)"
    typed_in_zsh 'warpsweep status s' >got
    grep -q 's\.h5' got || fail "zsh: files: $(cat got)"
else
    echo "no zsh here"
fi
