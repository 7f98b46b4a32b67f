#!/bin/sh
# The sentences of the documents and of the help are short; and the check of them can fail.
# usage: sentences.sh SOURCE PYTHON WARPSWEEP
set -eu
source=$1 python=$2 here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
cd "$source"
status=0
"$python" "$here/sentences.py" --program "$3" docs/*.md docs/*/*.md README.md CONTRIBUTING.md || status=1

# repeat N: a sentence of N words.
repeat() { "$python" -c "print(' '.join(['word'] * $1) + '.')"; }
{ echo '# Heading'; echo; for _ in 1 2 3; do repeat 2; done; repeat 41; echo; echo '    code'; repeat 50 | sed 's/^/| /'; } >"$wrong/long.md"
{ repeat 18; repeat 19; } >"$wrong/mean.md"
{ repeat 40; repeat 2; repeat 2; } >"$wrong/good.md"
cat >"$wrong/program" <<END
#!/bin/sh
case \$1 in
--help) printf 'warpsweep - summary\n\nUsage: warpsweep COMMAND\n\nCommands:\n  copy     summary\n\n  Short.\n' ;;
copy) printf 'warpsweep copy - summary\n\nUsage: warpsweep copy\n\nShort.\n\n$(repeat 41)\n\nOptions:\n  -h  $(repeat 60)\n' ;;
esac
END
chmod +x "$wrong/program"
# must_fail EXPECTED ARGUMENT...: the check finds this fault and no other.
must_fail() {
    expected=$1
    shift
    if "$python" "$here/sentences.py" "$@" >"$wrong/said"; then
        echo "sentences.py finds nothing wrong: $*"
        exit 1
    fi
    grep -qF "$expected" "$wrong/said" && [ "$(wc -l <"$wrong/said")" = 1 ] ||
        { echo "expected only: $expected"; cat "$wrong/said"; exit 1; }
}
must_fail 'long.md: 41 words' "$wrong/long.md"
must_fail 'mean.md: 18.5 words a sentence' "$wrong/mean.md"
must_fail 'warpsweep copy --help: 41 words' --program "$wrong/program"
"$python" "$here/sentences.py" "$wrong/good.md"
exit $status
