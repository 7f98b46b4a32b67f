#compdef warpsweep
# Completion of warpsweep in zsh: the program knows the words (warpsweep __complete), zsh offers files.
_warpsweep() {
    local candidate
    local -a candidates
    for candidate in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ $candidate == (/*|) ]] || candidates+=(${candidate/$'\t'/:})
    done
    (( $#candidates )) && _describe warpsweep candidates || _files
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _warpsweep "$@"
else
    compdef _warpsweep warpsweep
fi
