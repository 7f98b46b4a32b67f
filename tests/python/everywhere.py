"""everywhere.py SITE: every reader, over the same files, wherever the package lies and whatever its environment is.

SITE is a folder into which the wheel alone was installed. Each command prints and writes what it does from the source tree, byte by
byte, or ends with exit code 3 and one line; only commands that an environment names may do the latter."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, SITE = pathlib.Path(os.environ["SOURCE"]), pathlib.Path(sys.argv[1])
DATA = SOURCE / "analysis/data"
folder = pathlib.Path(tempfile.mkdtemp(prefix="warpsweep-everywhere-"))
for name, file in (("one", "h100-copy.h5"), ("two", "h100-copy-again.h5"), ("three", "h100-runs/unit1-copy.h5"), ("judge", "h200-judge.h5"),
                   ("profile", "h100-profile.h5")):
    (folder / name).mkdir()
    shutil.copy(DATA / file, folder / name / "results.h5")
ONE, TWO, THREE = (f"{name}/results.h5" for name in ("one", "two", "three"))
COMMANDS = [
    ["compare", ONE, TWO, "--points", "-f", "tsv"],
    ["compare", ONE, THREE],
    ["history", ONE, TWO, THREE],
    ["report", ONE, TWO],
    ["report", ONE, "--bounds"],
    ["report", ONE, "--bounds", "--profile", "h200"],
    ["pivot", ONE, TWO, "-c", "all", "-f", "tsv"],
    ["plot", ONE, THREE, "-o", "out", "-F", "copy_stride", "-F", "copy_size", "-f", "svg", "--data"],
    ["paper", ONE, "-o", "out"],
    ["profile", "profile/results.h5"],
    ["judge", "judge/results.h5"],
    ["predict", "--kernel", "copy", "--profile", "b200", "-o", "out.h5"],
]
NEED_PROGRAM = [words for words in COMMANDS if words[0] in ("predict", "judge") or "--profile" in words]  # of an earlier release
TREE = {"PYTHONPATH": f"{SOURCE}/python/src", "WARPSWEEP_PROGRAM": os.environ["WARPSWEEP"]}
ALONE = {"PYTHONPATH": str(SITE), "PATH": "/usr/bin:/bin"}


def run(words, setting, before=()):
    """Exit code, output, error and files of a command."""
    own = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", **setting}
    own["PYTHONPATH"] += f":{os.environ['PYTHONPATH']}"
    done = subprocess.run([*before, sys.executable, "-m", "warpsweep", *words], cwd=folder, env=own, capture_output=True, timeout=300)
    out = folder / "out"
    files = {path.relative_to(out): b"" if path.suffix == ".pdf" else path.read_bytes()  # a PDF holds the time
             for path in sorted(out.rglob("*")) if path.is_file()}
    shutil.rmtree(out, ignore_errors=True)
    (folder / "out.h5").unlink(missing_ok=True)
    return done.returncode, done.stdout, done.stderr, files


def check(name, words, setting, refused=(), before=()):
    code, out, error, files = run(words, setting, before)
    if words in refused:
        assert code == 3, (name, words, code)
        assert not files and error.startswith(b"warpsweep: ") and error.count(b"\n") == 1, (name, words, error)
        return "refused"
    expected = wanted[tuple(words)]
    assert code == expected[0], (name, words, code, error)
    assert out == expected[1], (name, words, out, expected[1])
    assert files == expected[3], (name, words, [path for path in {*files, *expected[3]} if files.get(path) != expected[3].get(path)])
    return "equal"


try:
    wanted = {tuple(words): run(words, TREE) for words in COMMANDS}
    for words, (code, out, error, files) in wanted.items():
        assert code in (0, 1) and (out or files or words[0] == "predict"), (words, code, error)
    for words in COMMANDS:
        check("the wheel alone", words, ALONE, refused=NEED_PROGRAM)
finally:
    shutil.rmtree(folder)
