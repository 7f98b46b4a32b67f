# Completion of warpsweep in fish: the program knows the words (warpsweep __complete), fish offers files.
function __warpsweep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] __complete $words[2..-1] "$current" 2>/dev/null | string match -v '/*'
end
complete -c warpsweep -a '(__warpsweep_complete)'
