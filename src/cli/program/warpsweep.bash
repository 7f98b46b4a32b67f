# Completion of warpsweep in bash: the program knows what may stand there (warpsweep __complete), this asks and shows.
_warpsweep() {
    local line=${COMP_LINE:0:COMP_POINT} words=() word candidate ending current before file
    COMPREPLY=()
    read -ra words <<<"$line"
    [[ $line == *' ' ]] && words+=('')
    current=${words[-1]}
    before=${current%"${current##*[=:]}"} # bash takes what stands behind = and : as a word of its own
    while IFS= read -r candidate; do
        word=${candidate%%$'\t'*}
        case $candidate in
            /folders*)
                compopt -o filenames
                while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -d -- "$current")
                ;;
            /files*)
                compopt -o filenames
                while IFS= read -r file; do
                    if [[ -d $file || $candidate == /files ]]; then
                        COMPREPLY+=("$file")
                        continue
                    fi
                    for ending in ${candidate#/files}; do
                        [[ $file == *"$ending" ]] && COMPREPLY+=("$file")
                    done
                done < <(compgen -f -- "${current#"$before"}")
                ;;
            *)
                COMPREPLY+=("${word#"$before"}")
                [[ $word == *= ]] && compopt -o nospace
                ;;
        esac
    done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _warpsweep warpsweep
