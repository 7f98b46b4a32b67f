#!/usr/bin/env bash
# install.sh WARPSWEEP - cmake --install to a prefix with spaces, moved afterwards, used by another user: a run, a figure, a
# prediction, Slurm's scripts, a kernel family by find_package and by pkg-config.
set -euo pipefail
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$CMAKE" --install "$BUILD" --prefix "$folder/first place" >log 2>&1 || fail "cmake --install"
mv "$folder/first place" "$folder/second place"
prefix="$folder/second place"
program=$prefix/bin/warpsweep
data=$prefix/share/warpsweep

# ---- What is there
files=(bin/warpsweep-worker include/warpsweep/family/family.h include/warpsweep/kernels/device.cuh share/doc/warpsweep/README.md
    share/doc/warpsweep/LICENSE share/doc/warpsweep/docs/install.md share/doc/warpsweep/CITATION.cff
    share/warpsweep/jobs/quickstart.yaml share/warpsweep/analysis/copy_stride.gp share/warpsweep/analysis/paper/paper.tex
    share/warpsweep/python/src/warpsweep/_family.py share/warpsweep/examples/python/softmax.py share/warpsweep/python/pyproject.toml share/warpsweep/python/VERSION share/warpsweep/examples/notebook/results.ipynb)
if [[ -d $BUILD/man ]]; then # made by the build
    files+=(share/man/man1/warpsweep.1 share/man/man1/warpsweep-run.1
        share/bash-completion/completions/warpsweep share/zsh/site-functions/_warpsweep
        share/fish/vendor_completions.d/warpsweep.fish)
fi
for file in "${files[@]}"; do
    [[ -s $prefix/$file ]] || fail "$file is not installed"
done
[[ -x $data/slurm/submit ]] || fail "slurm/submit cannot be started"
[[ ! -e $data/slurm/site.env ]] || fail "the site.env of whoever built it is installed"
grep -qx "version: $RELEASE" "$prefix/share/doc/warpsweep/CITATION.cff" || fail "CITATION.cff does not say the release"
for file in "$SOURCE"/{jobs,analysis,profiles,docs,examples/family}/*.*; do
    [[ -e $data/${file#"$SOURCE/"} || -e $prefix/share/doc/warpsweep/${file#"$SOURCE/"} ]] || fail "$file is not installed"
done
(cd "$SOURCE/python/src/warpsweep" && find . -name __pycache__ -prune -o -type f -print | sort) >shipped
(cd "$data/python/src/warpsweep" && find . -type f | sort) | diff shipped - >log || fail "the Python package is not installed as it is"

# ---- Its data are its own: those that lie nowhere else are found, in their new place.
cp "$data/profiles/b200.yaml" "$data/profiles/mine.yaml"
sed -e 's/^#: title .*/#: title Mine/' "$data/analysis/copy_stride.gp" >"$data/analysis/mine.gp"
as_other "$program" predict job.yaml --profile mine -o predicted.h5
runs "$program"
if command -v gnuplot >/dev/null; then
    as_other "$program" plot out.h5 -o figures --figure mine --format png
fi

# ---- The Python package, from its place: it finds the program of its prefix.
if python3 -c 'import h5py, pandas' 2>/dev/null && command -v gnuplot >/dev/null; then
    said=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$data/python/src${PYTHONPATH:+:$PYTHONPATH}" PATH=/usr/bin:/bin "$(command -v python3)" -c '
import warpsweep
print(len(warpsweep.load("out.h5")), warpsweep.plot("out.h5", "copy_stride").data.count(b"</svg>"))')
    [[ $said == "6 1" ]] || fail "the Python package says $said"
else
    echo "the Python package was not imported: no gnuplot, or no python3 with h5py and pandas"
fi

# ---- Slurm's scripts, with an sbatch that tells what it is asked for
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
pwd
env | grep '^WARPSWEEP_'
printf '%s\n' "$@"
END
chmod +x bin/sbatch
status=0
"$data/slurm/submit" >log 2>&1 || status=$?
[[ $status == 2 ]] || fail "submit without a site.env: exit $status"
logged "no $folder/caller/site.env; copy $data/slurm/site.env.example there"
cp "$data/slurm/site.env.example" site.env
as_other env PATH="$folder/caller/bin:$PATH" "$data/slurm/submit" --time=30
[[ $(head -n 1 log) == "$folder/caller" ]] || fail "submit does not stay in the user's folder"
[[ $(tail -n 1 log) == "$data/slurm/warpsweep.sbatch" ]] || fail "submit does not hand warpsweep.sbatch over"
logged '^--time=30$'
logged '^--export=ALL$'
logged "^WARPSWEEP_HOME=$data\$"
logged "^WARPSWEEP_SITE=$folder/caller/slurm-jobs/.*/site.env\$"
sed 's/copy/cpoy/' job.yaml >wrong.yaml
sed -i.right "s|^JOB_FILE=.*|JOB_FILE=$folder/caller/wrong.yaml|" site.env
status=0
PATH="$folder/caller/bin:$PATH" "$data/slurm/submit" >log 2>&1 || status=$?
[[ $status == 2 ]] || fail "submit of a job that is wrong: exit $status"
logged "wrong.yaml:5:13: unknown kernel 'cpoy'"
logged 'nothing was submitted'
! grep -q '^--export' log || fail "submit submits what is wrong"
cp site.env.right site.env
echo 'WARPSWEEP=/no/warpsweep' >>site.env
status=0
PATH="$folder/caller/bin:$PATH" "$data/slurm/submit" >log 2>&1 || status=$?
[[ $status == 2 ]] || fail "submit without a program: exit $status"
logged 'no program /no/warpsweep;'
mv site.env.right site.env
(
    WARPSWEEP_HOME=$data
    # shellcheck source=slurm/site.env.example
    source ./site.env
    [[ $(realpath "$WARPSWEEP") == "$program" && -r $JOB_FILE ]]
) || fail "site.env names no program or no job that is there"

# ---- A family of one's own
as_other cp -r "$data/examples/family" family
as_other env PATH="$PATH" CC="$CC" "$CMAKE" -S family -B build -DCMAKE_PREFIX_PATH="$prefix"
as_other "$CMAKE" --build build
as_other mpirun -q -n 1 "$program" run family/job.yaml -o family.h5 --backend host --kernels build/kernels
as_other "$program" table family.h5 --columns id --where kernel=triad --where status=ok
[[ $(tail -n +2 log | wc -l) == 8 ]] || fail "not 8 points of the example family"
# The one in Python, by the installed library.
for python in /usr/bin/python3 python3; do # another user may not enter the folder of the second
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
if "$python" -c 'import numpy' 2>/dev/null; then
    as_other env WARPSWEEP_PYTHON="$(command -v "$python")" "$program" run --kernel softmax --set rows=16 --set timing.replicates=1 \
        --kernels "$data/examples/python" --backend host -o python.h5
fi

as_other "$program" init saxpy
as_other env PATH="$PATH" CC="$CC" WARPSWEEP="$program" saxpy/test
logged "^saxpy: "
grep -q "$prefix/include/warpsweep" saxpy/compile || fail "init does not name the installed headers"

# refused TEXT LINE: the example's call, changed, is an error that says the text.
refused() {
    rm -rf build
    sed "s/^warpsweep_add_family.*/$2/" "$data/examples/family/CMakeLists.txt" >family/CMakeLists.txt
    ! env CC="$CC" "$CMAKE" -S family -B build -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 || fail "accepted: $2"
    tr -s ' \n' ' ' <log >words && mv words log # CMake breaks lines
    logged "$1"
}
refused 'expected C files, and triad.cu or triad.code; got: triad.c ' 'warpsweep_add_family(triad triad.c)'
refused 'there is no file .*triad.cuda; sources are named from this folder on' 'warpsweep_add_family(triad triad.c triad.cuda)'
refused 'version "99"' 'find_package(warpsweep 99 REQUIRED)'

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$prefix/share/pkgconfig"
    [[ $(pkg-config --modversion warpsweep) == "$RELEASE" ]] || fail "pkg-config does not say the release"
    mkdir by_hand
    cp "$data/examples/family/triad.cu" by_hand
    eval "\"$CC\" -std=gnu17 -shared -fPIC $(pkg-config --cflags warpsweep) family/triad.c -o by_hand/triad.so" ||
        fail "triad.c does not build by pkg-config"
    as_other "$program" kernels triad --kernels by_hand
    logged 'two arrays read'
fi
