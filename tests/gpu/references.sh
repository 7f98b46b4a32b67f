# references.sh WARPSWEEP FOLDER [SECONDS] - what the GPU's references of products find and save: faults planted in products of every type, with
# both references, then jobs with each of them, in one process and SECONDS (30) at most. Files and logs are left in FOLDER; no test.
warpsweep=$1 out=$(mkdir -p "$2" && cd "$2" && pwd) limit=${3:-30}
source=$(cd "$(dirname "$0")/../.." && pwd) bin=$(dirname "$warpsweep")
nvidia-smi -L || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
code=0

planted() { # LOG PLACES
    "$bin/test_cuda_products" "$2" >"$out/$1.txt" 2>&1 || { code=1 && echo "FAILED: see $1.txt"; }
    grep -E 'compared|found|checked|is wrong' "$out/$1.txt"
}
echo "== faults, found with the GPU's reference"
planted planted-gpu 100
echo "== the same with the C reference, at fewer places"
WARPSWEEP_REFERENCE=host planted planted-host 5

for job in numerics matmul tensor_matmul ladder; do
    for reference in gpu host; do
        WARPSWEEP_CACHE="$out/cache-$job" WARPSWEEP_REFERENCE=$reference mpirun -n 1 --bind-to none "$warpsweep" run \
            "$source/jobs/$job.yaml" --set timing.replicates=1 --time-limit "${limit}s" -o "$out/$job-$reference.h5" >"$out/$job-$reference.txt" 2>&1
        # 1: points were left, as the time limit makes it, or failed; those that failed are listed.
        echo "== $job, reference by $reference: exit code $?"
        "$warpsweep" status "$out/$job-$reference.h5" | head -8
        "$warpsweep" table "$out/$job-$reference.h5" --where status=failed --columns kernel,message --limit 5 2>&1 | head -6
        grep 'is wrong' "$out/$job-$reference.txt"
    done
done
rm -rf "$out"/cache-*
echo "== now, where h5py is: warpsweep report --time FILE for each file in $out"
exit $code
