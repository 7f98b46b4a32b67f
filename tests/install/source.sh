#!/usr/bin/env bash
# source.sh WARPSWEEP - cpack makes an archive of the sources that builds without a network, git or the clone, and whose programs
# name the commit.
set -euo pipefail
[[ -e $SOURCE/.git ]] || { echo "no clone: skipped"; exit 77; }
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

(cd "$BUILD" && "$CPACK" --config CPackSourceConfig.cmake -B "$folder/made") >log 2>&1 || fail "cpack"
mkdir "$folder/an other"
tar -x -C "$folder/an other" -f "$folder/made/warpsweep-$RELEASE.tar.gz" || fail "there is no warpsweep-$RELEASE.tar.gz"
tree="$folder/an other/warpsweep-$RELEASE"
diff <(git -C "$SOURCE" ls-tree -r --name-only HEAD | sort) <(cd "$tree" && find . -type f -o -type l | sed 's|^\./||' | sort) >log ||
    fail "the archive has other files than the commit"

# A clone of something else around it is not where it is from.
git -C "$folder/an other" init -q
git -C "$folder/an other" -c user.name=a -c user.email=a@b.invalid commit -q --allow-empty -m other
offline=()
# shellcheck disable=SC2016 # sh -c has arguments of its own
if unshare -rn ip link set lo up 2>/dev/null; then # without a loopback mpicc complains, and CMake finds no MPI
    offline=(unshare -rn sh -c 'ip link set lo up && exec "$@"' sh)
else
    echo "networks cannot be taken away here: built with one"
fi
# Not optimised: it is for the build, and takes a third of the time.
"${offline[@]}" "$CMAKE" -S "$tree" -B "$folder/build" -G "$GENERATOR" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 -DBUILD_TESTING=OFF \
    -DWARPSWEEP_WITH_CUDA=OFF -DCMAKE_C_COMPILER="$CC" >log 2>&1 || fail "it does not configure"
"${offline[@]}" "$CMAKE" --build "$folder/build" --parallel 2 >log 2>&1 || fail "it does not build"
"$folder/build/bin/warpsweep" --version >log
logged "$RELEASE.*$(git -C "$SOURCE" rev-parse HEAD | cut -c 1-12)"
runs "$folder/build/bin/warpsweep"
