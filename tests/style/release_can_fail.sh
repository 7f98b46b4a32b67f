#!/bin/sh
# release_can_fail.sh SCRIPT ROOT - the check of releases notices each file that names another one.
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
script=$(readlink -f "$1") || exit 1
(cd "$2" && tar -c VERSION CHANGELOG.md CITATION.cff packaging docs/results-file.md) | tar -x -C "$copy"
sh "$script" "$copy" || { echo "complains about the tree as it is"; exit 1; }
release=$(cat "$copy/VERSION")
cd "$copy" || exit 1

# must_fail FILE SED: the check does not pass once the file is edited so.
must_fail() {
    cp "$1" saved
    sed -i "$2" "$1"
    if cmp -s "$1" saved || sh "$script" . >/dev/null; then
        echo "does not notice $2 in $1"
        exit 1
    fi
    mv saved "$1"
}
any="s/$release/99.0.0/"
must_fail VERSION "$any"
must_fail CHANGELOG.md "$any"
must_fail CHANGELOG.md "s/^## $release (.*/## $release (soon)/"
must_fail CITATION.cff "$any"
must_fail CITATION.cff 's/^date-released: .*/date-released: 1999-01-01/'
must_fail docs/results-file.md "s/^| $release |/| 99.0.0 |/"
must_fail packaging/apptainer/warpsweep.def "$any"
must_fail packaging/apptainer/warpsweep.def "s/warpsweep-$release/warpsweep-99.0.0/"
