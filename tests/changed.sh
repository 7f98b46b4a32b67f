#!/bin/sh
# changed.sh SOURCE FILE...: which of the files or folders changed in the last 20 commits or in the working tree, the latest
# first, 25 at most. A merge counts as one commit. Prints nothing where there is no git history. Expensive checks look at these on
# every run, and at everything weekly: 20 commits are about a day's work, and the limit keeps a run's time bounded after a large move.
source=$1
shift
cd "$source" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || exit 0
{
    git diff --name-only --diff-filter=d HEAD -- "$@"
    git rev-list --first-parent -n 20 HEAD |
        git log --stdin --no-walk=unsorted --diff-merges=first-parent --name-only --diff-filter=d --format= -- "$@"
} 2>/dev/null | awk 'NF && !seen[$0]++ && ++count <= 25'
