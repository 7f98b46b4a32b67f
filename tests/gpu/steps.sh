# steps.sh SOURCE BUILD - .ci/gpu has a step for every test labelled gpu, refuses unknown ones, and says where there is no GPU.
set -eu
source=$1 folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tests=$(sed -n 's/.*add_test(NAME gpu\.\([a-z_]*\) .*/\1/p; s/.*foreach(name \(cuda_[a-z_ ]*\))/\1/p' "$source/tests/gpu/CMakeLists.txt" | tr ' ' '\n' | sed 's/^cuda_//' | sort -u)
[ "$(echo "$tests" | wc -l)" -ge 13 ] || { echo "tests/gpu/CMakeLists.txt is not understood: $tests"; exit 1; }
for name in $tests; do
    grep -q "^step_$name()" "$source/.ci/gpu" || { echo ".ci/gpu has no step for gpu.$name"; exit 1; }
done
code=0
PREFIX=$2 "$source/.ci/gpu" "$folder/out" nonsense 2>"$folder/said" || code=$?
[ $code -eq 2 ] && grep -q "no step 'nonsense'; expected one of: ab " "$folder/said" || { cat "$folder/said"; exit 1; }
nvidia-smi -L >/dev/null 2>&1 && exit 0
code=0
PREFIX=$2 "$source/.ci/gpu" "$folder/out" >"$folder/said" || code=$?
[ $code -eq 77 ] && grep -q "no GPU" "$folder/said" || { cat "$folder/said"; exit 1; }
