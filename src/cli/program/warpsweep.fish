# Completion of warpsweep in fish: the program knows what may stand there (warpsweep __complete), this asks and shows.
function __warpsweep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for candidate in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        if string match -q '/folders*' -- $candidate
            __fish_complete_directories $current
        else if test "$candidate" = /files
            __fish_complete_path $current
        else if string match -q '/files*' -- $candidate
            for ending in (string split ' ' -- (string replace '/files ' '' -- $candidate))
                __fish_complete_suffix $ending
            end
        else
            echo $candidate
        end
    end
end
complete -c warpsweep -f -a '(__warpsweep_complete)'
