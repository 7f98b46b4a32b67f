# Completion of warpsweep in bash: the program knows the words (warpsweep __complete), bash offers files.
_warpsweep() {
    local line=${COMP_LINE:0:COMP_POINT} words=()
    read -ra words <<<"$line"
    [[ $line == *' ' ]] && words+=('')
    mapfile -t COMPREPLY < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null | sed '/^\//d; s/\t.*//')
}
complete -o default -F _warpsweep warpsweep
