#!/usr/bin/env bash
# images.sh WARPSWEEP - the images of packaging/ are built on a Debian 12 that debootstrap makes, without CUDA, and measure. buildah builds
# the Dockerfile. The scripts of the Apptainer definition run in a root folder; Apptainer itself is no package of Debian's.
set -euo pipefail
[[ $(id -u) == 0 ]] || { echo "no root: skipped"; exit 77; }
for tool in debootstrap buildah; do
    command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }
done
[[ -e $SOURCE/.git ]] || { echo "no clone: skipped"; exit 77; }
# shellcheck source=tests/install/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
own() { # own COMMAND...: buildah, with a store of its own
    local command=$1
    shift
    buildah --root "$folder/store" --runroot "$folder/store.run" "$command" "$@"
}
job=/usr/share/warpsweep/jobs/quickstart.yaml
short="--set timing.replicates=1 --set timing.max_time=50ms --set timing.min_samples=3" # as ./quickstart measures a CPU

# ---- Debian, with this machine's way to its packages
debian "$folder/debian"
for file in $(grep -lirE 'proxy|acquire::https?' /etc/apt/apt.conf.d /etc/apt/apt.conf 2>/dev/null); do
    cp "$file" "$folder/debian/etc/apt/apt.conf.d/"
done

# ---- Docker
base=$(own from scratch)
own add --quiet "$base" "$folder/debian" / >log 2>&1 || fail "buildah add"
own commit --quiet "$base" localhost/debian:12 >log 2>&1 || fail "buildah commit"
git clone -q "$SOURCE" "$folder/clone"
(cd "$folder/clone" && own bud --pull-never -f packaging/docker/Dockerfile --build-arg BUILD=localhost/debian:12 \
    --build-arg RUN=localhost/debian:12 -t warpsweep .) >log 2>&1 || fail "the Dockerfile does not build"
image=$(own from --pull-never localhost/warpsweep)
inside() { own run "$image" "$@" >log 2>&1 || fail "in the image: $*"; }
inside id
logged 'uid=1000'
inside warpsweep --version
logged "^warpsweep $RELEASE ($(git -C "$SOURCE" rev-parse HEAD | cut -c 1-12))"
inside sh -c "cd && mpirun -q --oversubscribe -n 2 warpsweep run $job -o a.h5 --backend host $short && warpsweep plot a.h5 -o figures"
logged '^figures/copy_stride.pdf'

# ---- Apptainer: what %files, %post and %test do, in a root folder
definition=$SOURCE/packaging/apptainer/warpsweep.def
section() { sed -n "/^%$1/,/^%/p" "$definition" | sed '1d; /^%/d'; }
cp -a "$folder/debian" "$folder/apptainer"
"$CPACK" --config "$BUILD/CPackSourceConfig.cmake" -B "$folder/made" >log 2>&1 || fail "cpack"
cp "$folder/made/warpsweep-$RELEASE.tar.gz" "$folder/apptainer/opt/warpsweep.tar.gz"
cp /etc/resolv.conf "$folder/apptainer/etc/" 2>/dev/null || true
mount -t proc proc "$folder/apptainer/proc"
trap 'umount "$folder/apptainer/proc"; rm -rf "$folder"' EXIT
for name in post test; do
    section "$name" | chroot "$folder/apptainer" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh >log 2>&1 || fail "%$name of the definition"
done
logged 'points'
