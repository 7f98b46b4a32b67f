#!/usr/bin/env bash
# deb.sh WARPSWEEP - cpack makes a Debian package that depends on every package whose libraries the programs are linked with, but NVRTC;
# dpkg installs it in a root of its own, and it runs from there.
set -euo pipefail
command -v dpkg-shlibdeps >/dev/null || { echo "no dpkg-shlibdeps here: skipped"; exit 77; }
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

(cd "$BUILD" && "$CPACK" -G DEB --config CPackConfig.cmake -B "$folder/made") >log 2>&1 || fail "cpack"
packages=("$folder"/made/*.deb)
[[ ${packages[*]} == *"/warpsweep_$RELEASE-1_$(dpkg --print-architecture).deb" ]] || fail "the package is called ${packages[*]}"
package=${packages[0]}
depends=" $(dpkg-deb -f "$package" Depends | tr ',' ' ') "
[[ $depends == *" openmpi-bin "* ]] || fail "mpirun is not depended on: $depends"
recommends=$(dpkg-deb -f "$package" Recommends)
[[ $recommends == *gnuplot* ]] || fail "gnuplot is not recommended"
# NVIDIA's runfile installs NVRTC without a package: who has that can install this one.
[[ $depends != *nvrtc* ]] || fail "NVRTC's package is needed: $depends"
[[ $CUDA != ON || $recommends == *"cuda-nvrtc-"* ]] || fail "NVRTC is not recommended: $recommends"
count=0
for library in $(objdump -p "$BUILD/bin/warpsweep" "$BUILD/bin/warpsweep-worker" "$BUILD/bin/libwarpsweep-worker.so" | awk '$1 == "NEEDED" { print $2 }' | sort -u); do
    owners=$(dpkg-query -S "*/$library" 2>/dev/null | sed 's/:.*//' | sort -u) || true # of several architectures, perhaps
    [[ $library != libnvrtc* ]] || continue
    if [[ -z $owners || $library == ld-linux* ]]; then
        echo "$library is of no package"
        continue
    fi
    owned=0
    for owner in $owners; do
        [[ $depends != *" $owner "* ]] || owned=1
    done
    ((owned)) || fail "$library is of $owners, which is not in Depends: $depends"
    count=$((count + 1))
done
((count >= 5)) || fail "only $count libraries are of packages: the check is blind"

# apt finds what it needs, where apt knows of it
if apt-cache show openmpi-bin >/dev/null 2>&1; then
    apt-get install -s "$package" >log 2>&1 || fail "apt cannot install it"
    logged '^Inst warpsweep'
fi
if command -v lintian >/dev/null; then
    lintian --fail-on error "$package" >log 2>&1 || fail "lintian finds errors"
    sed 's/^/lintian: /' log
fi

root="$folder/a root"
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
install=(dpkg "--root=$root" --force-depends --force-not-root --force-bad-path -i "$package")
"${install[@]}" >log 2>&1 || fail "dpkg -i"
dpkg "--root=$root" --verify warpsweep >log 2>&1 || fail "files are not as they were packaged"
! objdump -p "$root"/usr/bin/* "$root"/usr/libexec/warpsweep/* | grep -E 'RPATH|RUNPATH' || fail "the programs name folders of libraries"
[[ -x $root/usr/share/warpsweep/slurm/submit ]] || fail "slurm/submit cannot be started"
# The CUDA Toolkit of this machine need not be a package: what is found by a path of the build is named here.
toolkit=$(objdump -p "$BUILD/bin/warpsweep-worker" | awk '$1 ~ /^R(UN)?PATH$/ { print $2 }')
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:$toolkit
runs "$root/usr/bin/warpsweep"
