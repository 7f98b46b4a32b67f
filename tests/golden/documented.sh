#!/bin/sh
# documented.sh DUMP_GRID DOCUMENT: the first YAML example of the document is a job that is read and expanded.
set -u
job=$(mktemp) || exit 1
trap 'rm -f "$job"' EXIT
awk '/^```yaml/ { blocks++; inside = blocks == 1; next } /^```/ { inside = 0 } inside' "$2" > "$job"
"$1" "$job" | grep "^points: [1-9]"
