#compdef warpsweep
# Completion of warpsweep in zsh: the program knows what may stand there (warpsweep __complete), this asks and shows.
_warpsweep() {
    local candidate word about
    local -a open open_about closed closed_about
    for candidate in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        word=${candidate%%$'\t'*}
        about="$word  ${candidate#*$'\t'}"
        case $candidate in
            '') ;;
            /folders*) _files -/ ;;
            '/files') _files ;;
            /files*) _files -g "*${(j: *:)${(s: :)${candidate#/files }}}" ;;
            *) if [[ $word == *= ]]; then
                   open+=("$word") open_about+=("$about")
               else
                   closed+=("$word") closed_about+=("$about")
               fi ;;
        esac
    done
    (( $#open )) && compadd -Q -S '' -l -d open_about -a open
    (( $#closed )) && compadd -Q -l -d closed_about -a closed
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _warpsweep "$@"
else
    compdef _warpsweep warpsweep
fi
