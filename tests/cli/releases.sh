#!/usr/bin/env bash
# What docs/results-file.md says of files of earlier releases: today's program reads those of 0.1.0 and 0.2.0, and shows in them what
# they showed. That of 0.1.0 is cut to 24 of its 425 points.
source "$(dirname "$0")/setup.sh"
cd "$D"

# reads FILE RELEASE ROWS ID TIME: it has so many rows, and the point with that id took so long, as the program of that release prints.
reads() {
    local file=$SOURCE/tests/$1 status=0
    "$WARPSWEEP" status "$file" >out || status=$?
    ((status <= 1)) && grep -q "^$file: $3 of [0-9]* points done" out || fail "status of $2: exit $status: $(head -n 1 out)"
    "$WARPSWEEP" status --verify "$file" >out || fail "verify of $2: $(cat out)"
    grep -q 'types, indices and lengths ok; some tables have no checksum' out || fail "verify of $2: $(head -n 1 out)"
    reader table "$file" --columns id,time_median --where id="$4" | tail -n 1 >out
    [[ $(cat out) == "$4"$'\t'"$5" ]] || fail "$2 has another time: $(cat out)"
    reader compare "$file" "$file" >out || fail "compare of $2"
    grep -Eq '^copy +[0-9]+ +1\.0000? ' out || fail "$2 is not what it is: $(cat out)"
    reader table "$file" --top 3 --columns id,bandwidth >out || fail "table --top of $2"
    [[ $(wc -l <out) == 4 ]] || fail "table --top of $2: $(cat out)"
    reader show "$4" "$file" >out || fail "show of $2"
    grep -q "time_median" out || fail "show of $2: $(cat out)"
    reader report "$file" --findings >out || fail "report of $2"
}
reads release-0.1-h200-copy.h5 0.1.0 24 278d35490df0f16c 0.002169183969497681
reads release-0.2-host-copy.h5 0.2.0 8 ef9137330c4cdd66 0.0002565774049525087
# Until 0.5 tf32 of tensor cores was called f32: C and Python say tf32, under the same id.
mma=$SOURCE/analysis/data/h100-mma.h5
for command in table pivot; do
    reader $command "$mma" -c id,dtype -f tsv | cut -f 2 | sort -u >out
    grep -qx tf32 out && ! grep -qx f32 out || fail "$command: $(<out)"
done
reader table "$mma" -w dtype=tf32 -c id,variant,shape_n,chains,block,blocks,rounds,data,cache --limit 1 | sed 1d >out
read -r id variant shape_n chains block blocks rounds data cache <out
for dtype in f32 tf32; do
    "$WARPSWEEP" check --points --kernel mma_rate --set "variant=$variant" --set "shape_n=$shape_n" --set "chains=$chains" --set "block=$block" \
        --set "blocks=$blocks" --set "rounds=$rounds" --set "data=$data" --set "cache=$cache" --set dtype=$dtype >out
    grep -q "$id.*dtype=tf32" out || fail "$dtype has another id than $id: $(<out)"
done
