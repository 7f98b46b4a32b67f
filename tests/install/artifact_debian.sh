#!/usr/bin/env bash
# artifact_debian.sh WARPSWEEP - the artifact of a release in an empty Debian 12, with the packages that its README names, by the commands
# that its README names, without a network.
set -euo pipefail
[[ $(id -u) == 0 ]] || { echo "no root: skipped"; exit 77; }
command -v debootstrap >/dev/null || { echo "no debootstrap: skipped"; exit 77; }
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

"$SOURCE/packaging/artifact" "$1" "$folder/made" >log 2>&1 || fail "packaging/artifact"
tar -C "$folder/made" -xf "$folder/made/warpsweep-$RELEASE-artifact.tar.gz"
readme=$folder/made/warpsweep-$RELEASE-artifact/README.md
packages=$(sed -n 's/.*`apt-get install \([^`]*\)`.*/\1/p' "$readme")
[[ -n $packages ]] || fail "the README names no packages"
debian "$folder/debian" "--include=${packages// /,}"
cp -r "$folder/made/warpsweep-$RELEASE-artifact" "$folder/debian/artifact"
grep -qx '    ./check .*' "$readme" || fail "the README does not say ./check"
unshare -n chroot "$folder/debian" env -i PATH=/usr/bin:/bin HOME=/root sh -c 'cd /artifact && ./check' >log 2>&1 || fail "the check in Debian"
logged '^verdict: good'
