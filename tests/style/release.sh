#!/bin/sh
# release.sh ROOT - everything that names the release names the one in VERSION: the newest release of CHANGELOG.md, with the day that
# CITATION.cff has; the recipes in packaging/; and docs/results-file.md says which releases read its files.
cd "$1" || exit 1
release=$(cat VERSION)
wrong=0
wrong() {
    echo "$*"
    wrong=1
}
echo "$release" | grep >/dev/null -xE '[0-9]+\.[0-9]+\.[0-9]+' || wrong "VERSION is not three numbers: $release"

newest=$(sed -n 's/^## \([0-9][^ ]*\) .*/\1/p' CHANGELOG.md | sed -n 1p)
[ "$newest" = "$release" ] || wrong "CHANGELOG.md: the newest release is '$newest', VERSION is $release"
day=$(sed -n "s/^## $release (\\([0-9-]*\\))\$/\\1/p" CHANGELOG.md)
[ -n "$day" ] || wrong "CHANGELOG.md: $release has no day: ## $release (YYYY-MM-DD)"

# has FILE LINE: the file has that very line.
has() { [ -r "$1" ] && grep -qxF -e "$2" "$1" || wrong "$1 has no line '$2'"; }
has CITATION.cff "version: $release"
has CITATION.cff "date-released: $day"
has packaging/apptainer/warpsweep.def "    archive=warpsweep-$release.tar.gz"
grep -q "^| $release |" docs/results-file.md || wrong "docs/results-file.md does not say what $release reads"

# What names an archive or a package of another release: packaging/README.md tells what was done with which.
for file in $(find packaging -type f ! -name README.md); do
    others=$(grep -oE 'warpsweep[-_][0-9]+\.[0-9]+\.[0-9]+' "$file" | sed 's/.*[-_]//' | grep -vxF "$release" | sort -u)
    [ -z "$others" ] || wrong "$file names release" $others
done
exit $wrong
