# Sourced by the tests on a GPU: skipped (77) without one; a folder of their own; fail says what the log has.
command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep >/dev/null '^GPU' || { echo "no GPU: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
: >log
fail() {
    echo "FAILED: $*"
    sed 's/^/  log: /' log
    exit 1
}
