#!/bin/sh
# sizes.sh SOURCE: the lines of each part of the tree, and whether they are within cmake/sizes.txt.
cd "$1" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { echo "skipped: no git history"; exit 77; }
status=0
while read -r most parts; do
    case $most in '' | '#') continue ;; esac
    # shellcheck disable=SC2086 # several folders
    lines=$(git ls-files -z $parts ':!python/src/warpsweep/data' | xargs -0 cat | wc -l)
    printf '%6d of at most %6d  %s\n' "$lines" "$most" "$parts"
    [ "$lines" -gt 0 ] && [ "$lines" -le "$most" ] || status=1
done <cmake/sizes.txt
exit $status
