#!/usr/bin/env bash
# Completion, asked of the program and, where they are installed, typed in bash, zsh and fish.
source "$(dirname "$0")/setup.sh"
cd "$D"
w() { "$WARPSWEEP" "$@"; }
scripts=$BUILD/completion
typed_in_bash() {
    bash --norc -c 'source "$1"; IFS=" " read -ra COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpsweep; printf "%s\n" "${COMPREPLY[@]}"' - "$scripts/bash/warpsweep" "$1"
}
offers() { # offers WANTED LINE: WANTED is among the candidates for its last word
    typed_in_bash "warpsweep $2" | has -xF -- "$1" || fail "completing '$2' does not offer '$1': $(typed_in_bash "warpsweep $2" | sed -n 1,5p)"
}

# Every command, and every option that its help lists, of the program and of the readers in Python.
w --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' >names
[[ $(wc -l <names) -ge 19 ]] || fail "commands: $(cat names)"
typed_in_bash 'warpsweep ' >offered
while read -r name; do has -xF -- "$name" offered || fail "$name is not offered"; done <names
while read -r name; do
    w "$name" --help | sed -n '/^Options:/,/^Examples:/s/^  ...,* *\(--[a-z-]*\).*/\1/p' >options
    [[ -s options ]] || fail "$name has no options in its help"
    typed_in_bash "warpsweep $name --" | sort >offered
    sort options | cmp - offered || fail "options of $name: $(cat options)"
done <names

# A letter is the same option in every command.
while read -r name; do
    w "$name" --help | sed -n "/^Options:/,/^Examples:/s/^  -\(.\), \(--[a-z-]*\).*/\1 \2 $name/p"
done <names >letters
[[ $(wc -l <letters) -ge 60 ]] || fail "letters: $(<letters)"
cut -d ' ' -f 1,2 letters | sort -u | cut -d ' ' -f 1 | uniq -d >clashes
[[ ! -s clashes ]] || fail "letters with several meanings: $(grep -f clashes letters | grep "^[$(tr -d '\n' <clashes)] ")"

# Values: kernels and the words of options. Others are files, which the shell offers, or the user's own.
offers copy 'run --kernel '
offers copy 'run -k '
offers gather 'kernels '
offers tsv 'table s.h5 -f '
offers svg 'plot s.h5 --format '
offers plot 'help pl'
for words in 'table s.h5 -c' 'run -o' 'status' 'nonsense' 'run --nonsense'; do
    [[ -z $(typed_in_bash "warpsweep $words ") ]] || fail "completing '$words': $(typed_in_bash "warpsweep $words ")"
done

# The shells.
PATH=$(dirname "$WARPSWEEP"):$PATH
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
