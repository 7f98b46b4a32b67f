#!/usr/bin/env bash
# Runs the documents' examples; then sees that the check of them can fail. Skipped (77) where Python lacks h5py or pandas.
# usage: snippets.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export BUILD=$build WARPSWEEP_CACHE=$build/docs-cache
# shellcheck source=../find_python.sh
source "$source/tests/find_python.sh"
python=$(find_python 'h5py, pandas')
# What other tests have compiled and listed before is not made again.
mkdir -p "$WARPSWEEP_CACHE"
find "$build/device_code" -name "*.code" -exec cp -lf -t "$WARPSWEEP_CACHE" {} + 2>/dev/null || true
"$python" "$here/snippets.py" "$source" "$build"

# A small tree whose README has one good example and one of each kind that is wrong.
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
mkdir -p "$wrong/tests/docs" "$wrong/docs"
ln -s "$source/analysis" "$wrong/analysis"
cat >"$wrong/README.md" <<'END'
    warpsweep table results.h5 --where stride=1

    warpsweep table results.h5 --wehre stride=1

```console
$ warpsweep table results.h5 -k copy -n 1 -c kernel
kernel
cpoy
```

```python
import h5py
h5py.File("results.h5")["reslts"]
```

```yaml
sweeps: [{kernel: cpoy}]
```

```
what is this?
```
END
echo 'README.md | warpsweep tabel | gpu' >"$wrong/tests/docs/exceptions.txt"
PAGES= "$python" "$here/snippets.py" "$wrong" "$build" >"$wrong/said" && { echo 'wrong examples pass'; exit 1; }
for expected in 'README.md:3: exit 2' 'README.md:8: is not what the command prints: cpoy' 'README.md:12: the Python' \
    'README.md:17: warpsweep check: exit 2' 'README.md:21: nobody runs' 'of no block any more: README.md | warpsweep tabel'; do
    grep -qF "$expected" "$wrong/said" || { echo "not found: $expected"; cat "$wrong/said"; exit 1; }
done
! grep -q 'README.md:1:' "$wrong/said" || { echo 'a good example fails'; cat "$wrong/said"; exit 1; }
