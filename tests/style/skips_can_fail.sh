#!/bin/sh
# skips_can_fail.sh TESTS: the check of skipped tests finds one that the list does not name, in lines as CTest prints them.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cat >"$log" <<'LINES'
  1/142 Test  #55: unit.text ........................   Passed    0.02 sec
 78/142 Test #140: gpu.ab ...........................***Skipped   0.05 sec
 79/142 Test #141: device_code.compile.copy .........***Skipped   0.05 sec
LINES
sh "$1/skips.sh" "$log" || { echo "refuses what the list allows"; exit 1; }
echo ' 80/142 Test #142: cli.columns ......................***Skipped   0.05 sec' >>"$log"
said=$(sh "$1/skips.sh" "$log" 2>&1) && { echo "does not find a skipped test"; exit 1; }
[ "$said" = "skipped, and tests/skips.txt does not allow it: cli.columns" ] || { echo "$said"; exit 1; }
