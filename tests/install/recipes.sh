#!/usr/bin/env bash
# recipes.sh WARPSWEEP - what packaging/ has names the release, asks for what CMakeLists.txt asks for, and is read by the tools that
# it is for, where these are. What no tool was there for is said.
set -euo pipefail
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
packaging=$SOURCE/packaging
spack=$packaging/spack/packages/warpsweep/package.py
easyconfigs=("$packaging"/easybuild/warpsweep-"$RELEASE"-*.eb)
docker=$packaging/docker/Dockerfile
apptainer=$packaging/apptainer/warpsweep.def
tool() { command -v "$1" >/dev/null || { echo "no $1: $2"; return 1; }; }

# ---- The release, which stands in VERSION
[[ -e ${easyconfigs[0]} ]] || fail "packaging/easybuild has no easyconfig of $RELEASE"
grep -q "^version = '$RELEASE'$" "${easyconfigs[@]}" || fail "the easyconfig is not of $RELEASE"
grep -q "^    version(\"$RELEASE\"" "$spack" || fail "package.py has no version $RELEASE"
grep -q "archive=warpsweep-$RELEASE.tar.gz$" "$apptainer" || fail "warpsweep.def is not of $RELEASE"

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
[[ $found == "yaml-0.1 hwloc fontconfig freetype2 " ]] || fail "CMakeLists.txt asks for '$found': see that packaging/ does, too"
asked "$spack" openmpi hdf5 libyaml hwloc fontconfig freetype cuda gnuplot cmake
asked "${easyconfigs[0]}" gompi HDF5 libyaml hwloc fontconfig freetype CUDA gnuplot CMake
asked "$docker" libopenmpi-dev libhdf5-dev libyaml-dev libhwloc-dev libfontconfig-dev
asked "$apptainer" libopenmpi-dev libhdf5-dev libyaml-dev libhwloc-dev libfontconfig-dev gnuplot-nox

# ---- Python
if tool python3 "package.py is not read"; then
    python3 "$(dirname "${BASH_SOURCE[0]}")/read_spack.py" "$spack" >log 2>&1 || fail "package.py cannot be read"
    logged "depends_on hdf5@1.10:~mpi"
    ! grep -q 'depends_on cuda' <(python3 "$(dirname "${BASH_SOURCE[0]}")/read_spack.py" "$spack" ~cuda) || fail "~cuda needs CUDA"
fi

# ---- The tools' own eyes
if tool eb "the easyconfig is not parsed by EasyBuild"; then
    mkdir eb
    cp "${easyconfigs[@]}" eb
    as_other env PATH="$PATH" "${EB_PYTHON:+EB_PYTHON=$EB_PYTHON}" eb "eb/${easyconfigs[0]##*/}" --dry-run --robot --prefix ebroot \
        --modules-tool=Lmod --module-syntax=Lua --allow-modules-tool-mismatch --ignore-index
    logged "(module: warpsweep/$RELEASE-"
fi
if tool hadolint "the Dockerfile is not linted"; then
    hadolint "$docker" >log 2>&1 || fail "hadolint"
fi
if tool apptainer "the Apptainer definition is not built"; then
    "$CPACK" --config "$BUILD/CPackSourceConfig.cmake" -B "$folder/work" >log 2>&1 || fail "cpack"
    apptainer build --build-arg base=debian:12 warpsweep.sif "$apptainer" >log 2>&1 || fail "apptainer build"
fi
sed -n '/^%post/,/^%test/p' "$apptainer" | sed '1d;$d' | bash -n || fail "the definition's script is none"
if tool cffconvert "CITATION.cff is not validated"; then
    cffconvert --validate -i "$SOURCE/CITATION.cff" >log 2>&1 || fail "CITATION.cff"
fi

# ---- The module files, by Lmod, which reads both kinds, and from an installation that was moved
"$CMAKE" --install "$BUILD" --prefix "$folder/first" >log 2>&1 || fail "cmake --install"
mv "$folder/first" "$folder/second"
lmod=(/usr/share/lmod/*/libexec/lmod)
[[ -x ${LMOD_CMD:-${lmod[0]}} ]] || { echo "no Lmod: the module files are not read"; exit 0; }
for suffix in .lua ''; do
    mkdir -p "$folder/modules$suffix/warpsweep"
    modules=$folder/second/share/warpsweep/modulefiles
    [[ $suffix == .lua ]] || rm "$modules/warpsweep/$RELEASE.lua" # Lmod prefers it
    "${LMOD_CMD:-${lmod[0]}}" bash use "$modules" >log 2>&1 || fail "module use"
    MODULEPATH=$modules "${LMOD_CMD:-${lmod[0]}}" bash load warpsweep >log 2>&1 || fail "module load of warpsweep/$RELEASE$suffix"
    for setting in "PATH=\"$folder/second/bin:" "MANPATH=\"$folder/second/share/man" "CMAKE_PREFIX_PATH=\"$folder/second\"" \
        "PKG_CONFIG_PATH=\"$folder/second/share/pkgconfig" "WARPSWEEP_HOME=\"$folder/second/share/warpsweep\""; do
        tr -d '\\' <log | grep -qF "$setting" || fail "$RELEASE$suffix does not set $setting"
    done
done
