#!/bin/sh
# column_names.sh ROOT CC - a column that the source asks for is written COLUMN(name), which the compiler checks: no literal is
# left, and a misspelt name does not compile.
cd "$1" || exit 1
calls='\b(frame_find(_real|_text)?|merge_(real|text)|view_find_column|columns_add|(real|text|integer|quantile|peak)_(at|of))\([^;{}"()]*(\([^()]*\)[^;{}"()]*)*'
grep -rqE "${calls}COLUMN\(" --include='*.c' src || { echo "no call names a column? the check is blind"; exit 1; }
wrong=$(grep -rnPzo "${calls}\"[a-z]" --include='*.[ch]' src | tr '\0' '\n' | grep -v 'options_text')
[ -z "$wrong" ] || { echo "write COLUMN(name) or DEVICE_COLUMN(name) (core/column_name.h):"; echo "$wrong"; exit 1; }
try() { printf '#include "core/frame.h"\nconst char *const name = %s;\n' "$1" | "$2" -std=gnu17 -Isrc -fsyntax-only -xc - 2>/dev/null; }
for good in 'COLUMN(time_median)' 'COLUMN(cache)' 'DEVICE_COLUMN(peak_copy)'; do
  try "$good" "$2" || { echo "$good does not compile"; exit 1; }
done
for bad in 'COLUMN(time_medain)' 'DEVICE_COLUMN(time_median)'; do
  ! try "$bad" "$2" || { echo "$bad compiles"; exit 1; }
done
