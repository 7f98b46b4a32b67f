#!/bin/sh
# The completion scripts of bash, zsh and fish, made of the program's --help and that of each command. Commands in Python have no
# options where there is no Python. Paths are left to the shell.
# usage: completion.sh PROGRAM FOLDER
set -eu
program=$1 folder=$2
export LC_ALL=C
mkdir -p "$folder/bash" "$folder/zsh" "$folder/fish"
"$program" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p' >"$folder/names"
names=$(cut -f 1 "$folder/names" | tr '\n' ' ')
kernels=$("$program" kernels | sed -n '/^$/q; s/ .*/ /p' | tr -d '\n')

# A line for each option: command, name, letter, value, words that the value may be, text. A dash is a field that is empty.
for name in $names; do
    "$program" "$name" --help 2>/dev/null | awk -v OFS='\t' -v name="$name" -v kernels="$kernels" '
        /^Options:$/ { options = 1 }
        /^$/ { options = 0 }
        options && match($0, /^  (-[a-zA-Z], |    )--[a-z0-9-]+( [A-Z][^ ]*)? +/) {
            text = substr($0, RLENGTH + 1)
            count = split(substr($0, 7, RLENGTH - 6), item, " ")
            letter = substr($0, 4, 1) == " " ? "-" : substr($0, 4, 1)
            words = item[1] == "--kernel" ? kernels : "-"
            sub(/ \[[^]]*]$/, "", text)
            if (match(text, /: [a-zA-Z0-9_-]+(, [a-zA-Z0-9_-]+)+$/)) {
                words = substr(text, RSTART + 2)
                gsub(/,/, "", words)
            }
            print name, substr(item[1], 3), letter, (count > 1 ? item[2] : "-"), words, text
        }' || true
done >"$folder/options"

awk -F '\t' -v names="$names" -v kernels="$kernels" '
    function case_of(option, words) {
        printf "    *\" %s %s \"*) words=\"%s\" ;;\n", $1, option, words
    }
    BEGIN {
        print "_warpsweep() {"
        print "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words="
        print "    case \"$COMP_CWORD ${COMP_WORDS[1]} $before $word\" in"
        print "    \"1 \"*) words=\"" names "help --help --version\" ;;"
        print "    \"2 help \"*) words=\"" names "\" ;;"
        print "    \"2 kernels kernels \"[!-]*|\"2 kernels kernels \") words=\"" kernels "\" ;;"
    }
    { options[$1] = options[$1] " --" $2 }
    $4 != "-" {
        case_of("--" $2, $5 == "-" ? "" : $5)
        if ($3 != "-") case_of("-" $3, $5 == "-" ? "" : $5)
    }
    END {
        for (name in options) printf "    *\" %s \"*\" -\"*) words=\"%s\" ;;\n", name, options[name]
        print "    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}"
        print "complete -o default -F _warpsweep warpsweep"
    }' "$folder/options" >"$folder/bash/warpsweep"

awk -F '\t' -v kernels="$kernels" '
    function quoted(text) {
        gsub(/\[/, "(", text)
        gsub(/]/, ")", text)
        gsub(/:/, "\\\\:", text)
        gsub(/\047/, "\047\\\\\047\047", text)
        return text
    }
    FNR == NR { commands = commands sprintf("            \047%s:%s\047\n", $1, quoted($2)) }
    FNR == NR { next }
    !begun++ {
        printf "#compdef warpsweep\n_warpsweep() {\n    if (( CURRENT == 2 )); then\n        local -a names=(\n%s        )\n", commands
        print "        _describe command names\n        return\n    fi\n    shift words\n    (( CURRENT-- ))\n    case $words[1] in"
    }
    $1 != name {
        if (name) print "        \047*:file:_files\047 ;;"
        name = $1
        print "    " name ") _arguments -s \\"
        if (name == "kernels") print "        \0471::kernel:(" kernels ")\047 \\"
    }
    {
        value = $4 == "-" ? "" : ":" quoted($4) ":" ($5 == "-" ? "_files" : "(" $5 ")")
        printf "        \047*--%s[%s]%s\047 \\\n", $2, quoted($6), value
        if ($3 != "-") printf "        \047*-%s[%s]%s\047 \\\n", $3, quoted($6), value
    }
    END {
        print "        \047*:file:_files\047 ;;\n    esac\n}"
        print "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    _warpsweep \"$@\"\nelse\n    compdef _warpsweep warpsweep\nfi"
    }' "$folder/names" "$folder/options" >"$folder/zsh/_warpsweep"

awk -F '\t' -v kernels="$kernels" '
    function quoted(text) {
        gsub(/\047/, "\\\\\047", text)
        return "\047" text "\047"
    }
    FNR == NR { print "complete -c warpsweep -n __fish_use_subcommand -f -a " $1 " -d " quoted($2) }
    FNR == NR { next }
    {
        value = $4 == "-" ? "" : $5 == "-" ? " -r" : " -x -a " quoted($5)
        letter = $3 == "-" ? "" : " -s " $3
        print "complete -c warpsweep -n \047__fish_seen_subcommand_from " $1 "\047 -l " $2 letter value " -d " quoted($6)
    }
    END { print "complete -c warpsweep -n \047__fish_seen_subcommand_from kernels\047 -f -a " quoted(kernels) }
    ' "$folder/names" "$folder/options" >"$folder/fish/warpsweep.fish"
rm -f "$folder/names" "$folder/options"
