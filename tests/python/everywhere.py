"""everywhere.py SITE: every reader, over the same files, wherever the package lies and whatever its environment is.

SITE is a folder into which the wheel alone was installed. Each command prints and writes what it does from the source tree, byte by
byte, or ends with exit code 3 and one line; only commands that an environment names may do the latter. python.tests.identity has
files of equal names, python.tests.names axes that are called as columns of readers."""
import itertools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

SOURCE, SITE = pathlib.Path(os.environ["SOURCE"]), pathlib.Path(sys.argv[1])
PROGRAM = os.environ["WARPSWEEP"]
DATA = SOURCE / "analysis/data"
folder = pathlib.Path(tempfile.mkdtemp(prefix="warpsweep-everywhere-"))
ODD = b"abc\xe9"  # no UTF-8; as a text it has as many letters as "results"
for name, file in (("one", "h100-copy.h5"), ("two", "h100-copy-again.h5"), ("three", "h100-runs/unit1-copy.h5"), ("judge", "h100-judge.h5"),
                   ("profile", "h100-profile.h5")):
    (folder / name).mkdir()
    shutil.copy(DATA / file, folder / name / "results.h5")
    os.symlink("results.h5", os.fsencode(folder / name) + b"/" + ODD + b".h5")
ONE, TWO, THREE = (f"{name}/results.h5" for name in ("one", "two", "three"))
COMMANDS = [
    ["table", ONE, "-c", "all", "-f", "tsv"],
    ["table", ONE, "--top", "2", "-f", "json"],
    ["show", "f02ed16e3189f76a", ONE],
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
TREE = {"WARPSWEEP_PYTHON": os.path.join(os.path.dirname(PROGRAM), "warm_python")}  # which cannot run what is tested here
ALONE = {"PYTHONPATH": str(SITE), "PATH": "/usr/bin:/bin"}
# As `python -m warpsweep`, by a Python that has imported the packages which ours takes, but nothing of it: a command costs a fork.
FORKING = """import os, runpy, sys
import h5py, jinja2, pandas, scipy.special
for line in sys.stdin:
    sys.argv = [os.fsdecode(bytes.fromhex(word)) for word in line.split()]
    if pid := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
        continue
    for number, name in ((1, "said.out"), (2, "said.err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    runpy.run_module("warpsweep", run_name="__main__", alter_sys=True)
"""
forking = {}  # such Pythons, by their settings


def contents(path):
    """Of a file that a command made: a PDF holds the time, and the last line of a script a checksum of the names in it."""
    data = path.read_bytes()
    return {".pdf": b"", ".gp": data.rstrip(b"\n").rpartition(b"\n")[0]}.get(path.suffix, data)


def environment(setting):
    own = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", **setting}
    return own | {"PYTHONPATH": os.pathsep.join(filter(None, [own.get("PYTHONPATH"), os.environ["PYTHONPATH"]]))}


def run(words, setting, limit=None):
    """Exit code, output, error and files of a command of the program; ``limit``: bytes of address space."""
    limited = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None
    done = subprocess.run([PROGRAM, *words], cwd=folder, env=environment(setting), capture_output=True, timeout=300, preexec_fn=limited)
    return with_files(done.returncode, done.stdout, done.stderr)


def run_alone(words, setting):
    """The same of a command of the package."""
    key = tuple(setting.items())
    if key not in forking:
        forking[key] = subprocess.Popen([sys.executable, "-c", FORKING], cwd=folder, env=environment(setting), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
    print(*(os.fsencode(word).hex() for word in ("warpsweep", *words)), file=forking[key].stdin)
    code = int(forking[key].stdout.readline())
    return with_files(code, *((folder / f"said.{end}").read_bytes() for end in ("out", "err")))


def with_files(code, said, error):
    out = folder / "out"
    files = {os.fsencode(path.relative_to(out)): contents(path) for path in sorted(out.rglob("*")) if path.is_file()}
    shutil.rmtree(out, ignore_errors=True)
    (folder / "out.h5").unlink(missing_ok=True)
    return code, said, error, files


def check_refusal(where, result, foreign=False):
    """Exit code 3, no file, and one line of ours; ``foreign``: after what an interpreter says that cannot start."""
    code, out, error, files = result
    assert code == 3 and not files, (*where, code, error)
    lines = error.splitlines()
    assert lines[-1].startswith(b"warpsweep: ") and (len(lines) == 1 or foreign) and b"Traceback" not in error, (*where, error)


def difference(found, expected):
    """The first lines that differ."""
    pairs = itertools.zip_longest(found.splitlines(), expected.splitlines())
    return next(pair for pair in pairs if pair[0] != pair[1])


def check_equal(where, result, renamed=lambda text: text):
    code, out, error, files = result
    expected = wanted[where[1]]
    assert code == expected[0], (*where, code, error)
    assert renamed(out) == expected[1], (*where, difference(renamed(out), expected[1]))
    files = {renamed(name): renamed(text) for name, text in files.items()}
    assert files == expected[3], (*where, [path for path in {*files, *expected[3]} if files.get(path) != expected[3].get(path)])


def plain_name(text):
    """With the name of the other files, in text, HTML and LaTeX, and in names."""
    shown = ODD.decode(errors="backslashreplace")
    for one in (ODD.decode("latin-1"), shown, shown.replace("\\", "\\\\"), shown.replace("\\", r"\textbackslash{}"), shown.replace("\\", r"\textbackslash ")):
        text = text.replace(one.encode(), b"results")
    return re.sub(rb"abc-xe9-h5-[0-9a-f]{8}", b"results.h5", text)  # names of a paper's files


def latin():
    """Settings of a terminal with ISO-8859-1; of the C locale where that cannot be made."""
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "ISO-8859-1", folder / "de_DE.ISO-8859-1"], capture_output=True) \
        if shutil.which("localedef") else None
    if not made or made.returncode:
        print("no locale with ISO-8859-1 can be made: the C locale in its place")
        return {"LC_ALL": "C"}
    return {"LC_ALL": "de_DE.ISO-8859-1", "LOCPATH": str(folder)}


def broken_pythons():
    """Interpreters that cannot run the package: settings, and whether they say something themselves."""
    for name, module, text in (("old", "sitecustomize", "import sys; sys.version_info = (3, 8, 10, 'final', 0)"),
                               ("unfit", "pandas", "raise ValueError('numpy.dtype size changed')"),
                               ("h5py", "h5py", "raise ImportError('libhdf5.so: cannot open shared object file')")):
        (folder / name).mkdir()
        (folder / name / f"{module}.py").write_text(text + "\n")
        yield name, {"PYTHONPATH": str(folder / name), "WARPSWEEP_PYTHON": sys.executable}, False
    stub = folder / "python3.6"
    stub.write_text("#!/bin/sh\necho 'SyntaxError: future feature annotations is not defined' >&2\nexit 1\n")
    stub.chmod(0o755)
    yield "3.6", {"WARPSWEEP_PYTHON": str(stub)}, True
    yield "PYTHONHOME", {"PYTHONHOME": "/nonexistent", "WARPSWEEP_PYTHON": sys.executable}, True


try:
    wanted = {tuple(words): run(words, TREE) for words in COMMANDS}
    for words, (code, out, error, files) in wanted.items():
        assert code in (0, 1) and (out or files or words[0] == "predict"), (words, code, error)
    # By turns: the wheel alone; the wheel alone, of files with a name that is no UTF-8, on a terminal of eight bits; so by the program.
    terminal = latin()
    for number, words in enumerate(COMMANDS):
        odd = [os.fsencode(word).replace(b"/results.h5", b"/" + ODD + b".h5") for word in words]
        if words in NEED_PROGRAM:
            check_refusal(("the wheel alone", tuple(words)), run_alone(words, ALONE))
        elif number % 3 < 2:
            check_equal(("the wheel alone", tuple(words)), run_alone(odd, {**ALONE, **terminal}) if number % 3 else run_alone(words, ALONE),
                        plain_name)
        if words in NEED_PROGRAM or number % 3 == 2:
            check_equal(("8 bits", tuple(words)), run(odd, {"WARPSWEEP_PYTHON": sys.executable, **terminal}), plain_name)
    broken = list(broken_pythons())  # each meets other commands: what starts the package refuses it, whatever the command
    for number, (name, setting, foreign) in enumerate(broken):
        for words in COMMANDS[number::len(broken)]:
            check_refusal((name, tuple(words)), run(words, setting), foreign)
    # Little memory: too little for the packages, for a command, or enough.
    refused = 0
    for limit, some in ((100 << 20, COMMANDS[::5]), (400 << 20, COMMANDS[::3])):
        for words in some:
            result, where = run(words, {"WARPSWEEP_PYTHON": sys.executable}, limit), (f"{limit >> 20} MiB", tuple(words))
            refused += result[0] == 3
            if result[0] == 3:
                check_refusal(where, result, foreign=True)
            else:
                check_equal(where, result)
    assert refused >= len(COMMANDS[::5]), "no command lacks memory"
finally:
    for python in forking.values():
        python.kill()
    shutil.rmtree(folder)
