#!/usr/bin/env bash
# recipes.sh WARPSWEEP - what packaging/ has asks for what CMakeLists.txt asks for, and is read by linters, where these are.
# What no tool was there for is said. images.sh builds them.
set -euo pipefail
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
packaging=$SOURCE/packaging
docker=$packaging/docker/Dockerfile
apptainer=$packaging/apptainer/warpsweep.def
PATH=$BUILD/packaging/bin:$PATH # ./quickstart test puts them there
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
asked "$docker" dpkg-dev file libopenmpi-dev libhdf5-dev libyaml-dev zlib1g-dev libhwloc-dev
asked "$apptainer" libopenmpi-dev libhdf5-dev libyaml-dev zlib1g-dev libhwloc-dev gnuplot-nox python3-h5py python3-pandas python3-scipy python3-jinja2

# ---- The tools' own eyes
if tool hadolint "the Dockerfile is not linted"; then
    hadolint "$docker" >log 2>&1 || fail "hadolint"
fi
sed -n '/^%post/,/^%test/p' "$apptainer" | sed '1d;$d' | bash -n || fail "the definition's script is none"
if tool cffconvert "CITATION.cff is not validated"; then
    cffconvert --validate -i "$SOURCE/CITATION.cff" >log 2>&1 || fail "CITATION.cff"
fi

installed=(/usr/share/lmod/*/libexec/lmod)
lmod=${LMOD_CMD:-${installed[0]}}

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
