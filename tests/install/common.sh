# shellcheck shell=bash
# Sourced by the tests beside it: a folder that everybody may enter, another user, a small job, short words.
command -v mpirun >/dev/null || { echo "no mpirun here: skipped"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir "$folder/caller"
cd "$folder/caller" || exit 1
unset WARPSWEEP_SITE WARPSWEEP_HOME WARPSWEEP_KERNELS WARPSWEEP_CACHE CMAKE_PREFIX_PATH PKG_CONFIG_PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
cat >job.yaml <<'END'
title: A job for tests of installations
counters: none
timing: {max_time: 20ms, min_samples: 3, max_samples: 20, replicates: 1}
sweeps:
  - kernel: copy
    axes: {size: [64KiB, 1MiB], stride: [1, 2, 4]}
END

fail() {
    echo "FAILED: $*" >&2
    sed 's/^/  log: /' "$folder/caller/log" >&2 2>/dev/null || true
    exit 1
}
logged() { grep -q -e "$1" "$folder/caller/log" || fail "the log does not say '$1'"; }

# debian FOLDER [OPTION]...: a Debian 12, with this machine's way to its packages.
debian() {
    local to=$1 mirror
    shift
    mirror=$(sed -n 's/^URIs: *//p; s/^deb  *\(\[.*\]\)* *\(http[^ ]*\) .*/\2/p' /etc/apt/sources.list.d/* /etc/apt/sources.list 2>/dev/null |
        grep -m 1 debian) || mirror=
    debootstrap --variant=minbase "$@" bookworm "$to" ${mirror:+"$mirror"} >log 2>&1 || fail "debootstrap"
}

# as_other COMMAND...: as a user who may write to the folder `caller` alone, where root runs the tests; else as oneself.
if [[ $(id -u) == 0 ]] && command -v runuser >/dev/null && id nobody >/dev/null 2>&1; then
    chown -R nobody .
    as_other() { runuser -u nobody -- env HOME="$folder/caller" TMPDIR=/tmp "$@" >log 2>&1 || fail "as nobody: $*"; }
else
    as_other() { env HOME="$folder/caller" "$@" >log 2>&1 || fail "$*"; }
fi

# runs PROGRAM: from here, under mpirun, with a figure of what it measured.
runs() {
    as_other mpirun -q --oversubscribe -n 2 "$1" run job.yaml -o out.h5 --backend host
    as_other "$1" table out.h5 --columns id --where status=ok
    [[ $(tail -n +2 log | sort -u | wc -l) == 6 ]] || fail "not 6 points"
    if command -v gnuplot >/dev/null; then
        as_other "$1" plot out.h5 -o figures --figure copy_stride --format png
        [[ $(head -c 4 figures/copy_stride.png | tail -c 3) == PNG ]] || fail "no figure"
    fi
}
