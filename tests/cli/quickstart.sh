#!/usr/bin/env bash
# quickstart says what is missing, without installing anything.
set -euo pipefail
quickstart=$SOURCE/quickstart
fail() { echo "$*" >&2; exit 1; }
[[ $("$quickstart" --help) == *'./quickstart test'* ]] || fail "no help"
status=0
"$quickstart" nonsense 2>/dev/null || status=$?
[[ $status == 2 ]] || fail "nonsense: exit $status"
# A PATH with the shell's tools alone, as on a bare system.
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
for tool in bash env dirname readlink cat sed grep head id nproc; do
    ln -s "$(command -v "$tool")" "$bare/$tool"
done
status=0
out=$(PATH=$bare "$quickstart" missing) || status=$?
[[ $status == 3 ]] || fail "missing: exit $status: $out"
wanted=(python3-h5py python3-pandas python3-scipy python3-jinja2)
! /usr/bin/python3 -c 'import h5py, jinja2, numpy, pandas, scipy' 2>/dev/null || wanted=() # an absolute path, which no PATH hides
for package in "${wanted[@]}" build-essential cmake ninja-build pkg-config libopenmpi-dev openmpi-bin libhdf5-dev libyaml-dev zlib1g-dev \
    libhwloc-dev gnuplot-nox libcmocka-dev texlive-latex-recommended; do
    grep -q "apt-get install.* $package" <<<"$out" || fail "$package is not listed: $out"
done
# To build, nothing is needed that draws or tests.
status=0
out=$(PATH=$bare "$quickstart" build 2>&1) || status=$?
[[ $status == 3 && $out == *"apt-get install"*libyaml-dev* ]] || fail "build: exit $status: $out"
for package in gnuplot-nox libcmocka-dev; do
    ! grep -q "apt-get install.* $package" <<<"$out" || fail "build asks for $package: $out"
done
# HDF5's compiler wrapper without its headers is no HDF5.
ln -s "$(command -v mktemp)" "$(command -v rm)" "$bare/"
printf '#!%s\nexit 1\n' "$(command -v bash)" >"$bare/h5cc"
chmod +x "$bare/h5cc"
out=$(PATH=$bare "$quickstart" missing) || true
grep -q 'apt-get install.* libhdf5-dev' <<<"$out" || fail "a wrapper that cannot compile passes for HDF5: $out"
