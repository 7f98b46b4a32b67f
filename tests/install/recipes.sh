#!/usr/bin/env bash
# recipes.sh WARPSWEEP - what packaging/ has asks for what CMakeLists.txt asks for, and is read by the tools that
# it is for, where these are. What no tool was there for is said.
set -euo pipefail
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
read_spack=$SOURCE/tests/install/read_spack.py
packaging=$SOURCE/packaging
spack_repo=$packaging/spack/spack_repo/warpsweep
spack=$spack_repo/packages/warpsweep/package.py
easyconfigs=("$packaging"/easybuild/warpsweep-"$RELEASE"-*.eb)
docker=$packaging/docker/Dockerfile
apptainer=$packaging/apptainer/warpsweep.def
PATH=$BUILD/packaging/bin:$PATH # ./quickstart test puts them there
[[ ! -x $BUILD/packaging/bin/python ]] || export EB_PYTHON=$BUILD/packaging/bin/python
tool() { command -v "$1" >/dev/null || { echo "no $1: $2"; return 1; }; }

# ---- What is looked for by CMake has a package in each
# asked FILE NAME...: the file mentions each.
asked() {
    local file=$1 name
    shift
    for name; do
        grep -qiE "(['\" ]|^)(lib)?$name([-+@~'\" ]|$)" "$file" || fail "$file does not ask for $name"
    done
}
found=$(sed -n 's/^pkg_check_modules([A-Z]* REQUIRED IMPORTED_TARGET \([^)]*\)).*/\1/p' "$SOURCE/CMakeLists.txt" | tr '\n' ' ')
[[ $found == "yaml-0.1 zlib hwloc " ]] || fail "CMakeLists.txt asks for '$found': see that packaging/ does, too"
asked "$spack" openmpi hdf5 libyaml zlib-api hwloc cuda gnuplot cmake python py-h5py py-pandas py-scipy py-jinja2
asked "${easyconfigs[0]}" gompi HDF5 libyaml zlib hwloc CUDA gnuplot CMake
asked "$docker" dpkg-dev file libopenmpi-dev libhdf5-dev libyaml-dev zlib1g-dev libhwloc-dev
asked "$apptainer" libopenmpi-dev libhdf5-dev libyaml-dev zlib1g-dev libhwloc-dev gnuplot-nox python3-h5py python3-pandas python3-scipy python3-jinja2

# ---- Python
if tool python3 "package.py is not read"; then
    python3 "$read_spack" "$spack" >log 2>&1 || fail "package.py cannot be read"
    logged "depends_on hdf5@1.10.3:~mpi"
    ! grep -q 'depends_on cuda' <(python3 "$read_spack" "$spack" ~cuda) || fail "~cuda needs CUDA"
fi

[[ $(sed -n 's/^ *namespace: //p' "$spack_repo/repo.yaml") == "${spack_repo##*spack_repo/}" ]] ||
    fail "Spack takes a repository in spack_repo/NAMESPACE alone"

# ---- The tools' own eyes
if tool spack "package.py is not solved by Spack (no package of Debian's or Python's: a clone of Spack, on the PATH)"; then
    export SPACK_USER_CONFIG_PATH=$folder/spack
    spack repo add "$spack_repo" >log 2>&1 || fail "spack repo add"
    # Its own packages may be older than CUDA 12.8; nothing else may be found.
    old='dependency on cuda@12.8: cannot be satisfied by known versions'
    if ! spack audit packages warpsweep >log 2>&1; then
        logged "$old"
        ! grep -E '^[0-9]+\. |Error' log | grep -vF "$old" >&2 || fail "spack audit"
    fi
    variants=(~cuda)
    ! grep -qF "$old" log || echo "this Spack knows no CUDA 12.8: solved without CUDA alone"
    grep -qF "$old" log || variants+=(+cuda)
    for variant in "${variants[@]}"; do
        spack spec "warpsweep$variant" >log 2>&1 || fail "spack spec warpsweep$variant"
        logged "warpsweep@$RELEASE.*[~+]cuda"
        logged '\^hdf5@.*~mpi'
    done
fi
installed=(/usr/share/lmod/*/libexec/lmod)
lmod=${LMOD_CMD:-${installed[0]}}
if tool eb "the easyconfig is not parsed by EasyBuild" && [[ ! -x $lmod ]]; then
    echo "no Lmod: the easyconfig is not parsed by EasyBuild"
elif command -v eb >/dev/null; then
    LMOD_CMD=$lmod eb "${easyconfigs[@]}" --dry-run --robot --prefix "$folder/eb" --modules-tool=Lmod --module-syntax=Lua --ignore-index \
        --allow-modules-tool-mismatch --allow-use-as-root-and-accept-consequences >log 2>&1 || fail "EasyBuild"
    logged "(module: warpsweep/$RELEASE-"
fi
if tool hadolint "the Dockerfile is not linted"; then
    hadolint "$docker" >log 2>&1 || fail "hadolint"
fi
if tool apptainer "the Apptainer definition is not built"; then
    "$CPACK" --config "$BUILD/CPackSourceConfig.cmake" -B "$folder/caller" >log 2>&1 || fail "cpack"
    apptainer build --build-arg base=debian:12 warpsweep.sif "$apptainer" >log 2>&1 || fail "apptainer build"
fi
sed -n '/^%post/,/^%test/p' "$apptainer" | sed '1d;$d' | bash -n || fail "the definition's script is none"
if tool cffconvert "CITATION.cff is not validated"; then
    cffconvert --validate -i "$SOURCE/CITATION.cff" >log 2>&1 || fail "CITATION.cff"
fi

# ---- The module files, by Lmod, which reads both kinds, and from an installation that was moved
"$CMAKE" --install "$BUILD" --prefix "$folder/first" >log 2>&1 || fail "cmake --install"
mv "$folder/first" "$folder/second"
[[ -x $lmod ]] || { echo "no Lmod: the module files are not read"; exit 0; }
modules=$folder/second/share/warpsweep/modulefiles
for suffix in .lua ''; do
    [[ $suffix == .lua ]] || rm "$modules/warpsweep/$RELEASE.lua" # Lmod prefers it
    MODULEPATH=$modules "$lmod" bash load warpsweep >log 2>&1 || fail "module load of warpsweep/$RELEASE$suffix"
    (
        eval "$(cat log)"
        here=$folder/second
        [[ $_LMFILES_ == "$modules/warpsweep/$RELEASE$suffix" && $PATH == "$here/bin:"* && $MANPATH == "$here/share/man"* &&
            $CMAKE_PREFIX_PATH == "$here" && $PKG_CONFIG_PATH == "$here/share/pkgconfig" &&
            $WARPSWEEP_HOME == "$here/share/warpsweep" && $(warpsweep --version) == "warpsweep $RELEASE "* ]]
    ) || fail "warpsweep/$RELEASE$suffix does not lead to where it lies"
done
