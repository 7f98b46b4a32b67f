"""hostile_text.py WARPSWEEP MAKE_RESULTS SOURCE program|readers - texts of a results file are data in every output.

Every string column of every table, every attribute and the job's text is filled with what each output format takes for
code: LaTeX, HTML, gnuplot, the shell, a terminal, a path. Nothing of it may be executed, read or written, and nothing may
reach a terminal unescaped. The readers run in this process. Checksums are put right, so that only the texts are wrong."""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import h5py
import numpy

warpsweep, make_results, source, whose = sys.argv[1:5]
sys.path.insert(0, os.path.join(source, "python/src"))
from warpsweep.__main__ import COMMANDS, main  # noqa: E402

folder = pathlib.Path(tempfile.mkdtemp(prefix="warpsweep-hostile-"))
marker = "pwned"
PAYLOADS = {
    "latex": rb"\pwned{}^^5cpwned}$%#&_~\n",
    "latex_input": rb"}\input{secret.txt}\pwned{",
    "html": b"\"'><pwned a=\"'<script>pwned()</script>",
    "gnuplot": b"`touch pwned`\".system('touch pwned').\"",
    "gnuplot_line": b"'\nsystem 'touch pwned'\n#@pwned",
    "shell": b"$(touch pwned);touch pwned|touch pwned&",
    "path": b"../../pwned",
    "absolute": str(folder / "pwned").encode()[:31],
    "terminal": "\x1b]0;pwned\x07\x9b31m\u202epwned\u2066".encode(),
    "not_utf8": b"\xff\xfe\xc0\xafpwned\x80",
}
# Those of them that can stand in one text, as wide as the columns are made.
EVERYTHING = b" ".join(PAYLOADS[kind] for kind in ("html", "latex", "latex_input", "terminal", "gnuplot", "shell"))
# Columns that may have any text.
FREE = [("results", "kernel"), ("results", "variant"), ("results", "message"), ("devices", "name"), ("devices", "driver"),
        ("environment", "value")]
TABLES = ("results", "devices", "columns", "environment")


def put_checksum(dataset):
    value = dataset[()]
    data = value.tobytes() if isinstance(value, numpy.ndarray) else bytes(value)
    dataset.attrs.modify("crc32", numpy.int64(zlib.crc32(data)))


def widen(file, table):
    """The table with every string column 256 bytes wide, so that every payload fits, and with those that had no value."""
    old = file[table]
    attributes, rows = dict(old.attrs), old[:]
    kinds = [(name, "S256" if rows.dtype[name].kind == "S" and rows.dtype[name].itemsize < 256 else rows.dtype[name])
             for name in rows.dtype.names]
    kinds += [(name, "S256") for of, name in FREE if of == table and name not in rows.dtype.names]
    new = numpy.zeros(rows.shape, kinds)
    for name in rows.dtype.names:
        new[name] = rows[name]
    del file[table]
    file[table] = new
    for name, value in attributes.items():
        file[table].attrs[name] = value


def craft(name, table, column, payload):
    """A copy of the base file with the payload in one column (or attribute) of a table; None: wherever strings are."""
    path = folder / f"{name}.h5"
    shutil.copy(folder / "base.h5", path)
    with h5py.File(path, "r+") as file:
        if table == "/":
            file.attrs[column] = numpy.bytes_(payload)
            return path
        if table == "job":
            attributes = dict(file["job"].attrs)
            del file["job"]
            file["job"] = numpy.bytes_(payload)
            for key, value in attributes.items():
                file["job"].attrs[key] = value
        else:
            rows = file[table][:]
            for one in [column] if column else [n for n in rows.dtype.names if rows.dtype[n].kind == "S"]:
                rows[one] = payload
            file[table][...] = rows
        put_checksum(file[table])
    return path


def craft_all(name, payload):
    """A copy of the base file with the payload in every column of FREE and in every text of the root."""
    path = folder / f"{name}.h5"
    shutil.copy(folder / "base.h5", path)
    with h5py.File(path, "r+") as file:
        for table in sorted({table for table, _ in FREE}):
            rows = file[table][:]
            for column in [column for of, column in FREE if of == table]:
                if table == "environment": # its other names mean something else than text
                    rows[column][rows["name"] == b"start"] = payload
                else:
                    rows[column] = payload
            file[table][...] = rows
            put_checksum(file[table])
    return path


class Page(html.parser.HTMLParser):
    """Elements and attributes that only a payload could have made."""

    def __init__(self):
        super().__init__()
        self.bad = []

    def handle_starttag(self, tag, attrs):
        if tag == marker or any(marker in name for name, _ in attrs):
            self.bad.append(f"<{tag} {attrs}>")


def tree():
    """Every file below the folder, with its first bytes' hash: what a command may not change."""
    return {path: zlib.crc32(path.read_bytes()) for path in folder.rglob("*") if path.is_file() and out not in path.parents}


def check_terminal(command, said):
    try:
        text = said.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{command}: not UTF-8 on a terminal: {error}") from error
    for one in text:
        hidden = ord(one) < 32 and one not in "\n\t" or 127 <= ord(one) < 160
        bidirectional = one in "\u200e\u200f\u061c" or 0x202A <= ord(one) <= 0x202E or 0x2066 <= ord(one) <= 0x2069
        assert not hidden and not bidirectional, f"{command}: U+{ord(one):04X} reaches the terminal: {text[:300]!r}"


def check_tex(path, text):
    found = re.search(r"(?<!\\)(?:\\\\)*\\pwned|\\input\{secret|\^\^5c", text)
    assert not found, f"{path}: {text[max(0, found.start() - 60):found.end() + 60]!r}"


def check_outputs():
    for path in out.rglob("*"):
        assert path.is_dir() or path.is_file(), f"{path}: neither file nor folder"
        assert re.fullmatch(r"[A-Za-z0-9._-]+", path.name), f"a file is named {path.name!r}"
        if path.suffix in (".tex", ".bbl"):
            check_tex(path, path.read_text(encoding="utf-8"))
        elif path.suffix in (".html", ".svg"):
            page = Page()
            page.feed(path.read_text(encoding="utf-8"))
            assert not page.bad, f"{path}: {page.bad[:3]}"


def check_page(path):
    """The page has no script, and its policy allows none."""
    text = path.read_text(encoding="utf-8")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text).group(1)
    assert "default-src 'none'" in policy and "script-src" not in policy and "<script" not in text, policy


out = folder / "out"
os.environ.pop("WARPSWEEP_ANALYSIS", None)
os.environ["WARPSWEEP_CACHE"] = str(folder / "cache")
os.environ["WARPSWEEP_PROGRAM"] = warpsweep


def call(words):
    """A reader's exit code, output and errors, in this process."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
        sys.stdout.flush()
        kept = os.dup(1), os.dup(2)
        os.dup2(said.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        try:
            code = main(words)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, number in zip(kept, (1, 2)):
                os.dup2(descriptor, number)
                os.close(descriptor)
        said.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(words, code, said.read(), errors.read())


def run(*command):
    """A command, whose only traces may be below `out`. It may refuse the file, but not die of it."""
    words = [str(word) for word in command]
    shutil.rmtree(out, ignore_errors=True)
    before = tree()
    done = call(words) if words[0] in COMMANDS else subprocess.run([warpsweep, *words], capture_output=True, timeout=60)
    assert done.returncode in (0, 1, 2, 3) and b"Traceback" not in done.stderr, (words, done.returncode, done.stderr[-500:])
    after = tree()
    assert after == before, f"{words}: files changed: {sorted(set(after.items()) ^ set(before.items()))[:3]}"
    if "latex" in words:
        check_tex(words, done.stdout.decode("utf-8"))
    else:
        check_terminal(words, done.stdout)
    check_terminal(words, done.stderr)
    check_outputs()
    counts[0] += 1
    counts[1] += marker.encode() in done.stdout
    return done


# What the program prints itself, and what the readers print.
OWN = (["status"], ["status", "--verify"], ["table", "-c", "all"], ["table", "-c", "all", "-f", "text"],
       ["table", "-c", "all", "-f", "csv"], ["table", "-c", "all", "-f", "json"], ["table", "--top", "9"])
READERS = (["report"], ["report", "--format", "latex"],
           ["report", "--time"], ["judge", "--fleet"], ["report", "--findings"], ["pivot", "-c", "kernel,variant,message"],
           ["pivot", "-c", "kernel,variant,message", "-f", "latex"])

subprocess.run([make_results, folder / "base.h5"], check=True)
(folder / "secret.txt").write_text("the secret\n")
with h5py.File(folder / "base.h5", "r+") as base:
    for table in TABLES:
        widen(base, table)
        put_checksum(base[table])
    places = [(table, name) for table in TABLES for name in base[table].dtype.names if base[table].dtype[name].kind == "S"]
    places += [("/", name) for name, value in base.attrs.items() if isinstance(value, bytes)] + [("job", None)]
with h5py.File(folder / "base.h5", "r") as base:
    point = base["results"]["id"][0].decode()
os.chdir(folder)
counts = [0, 0]  # commands, and those that show a payload

# Every place meets a payload in a command of the program, and every fourth all of LaTeX, HTML and the terminal in a reader; columns whose
# texts are FREE meet every payload, all at once.
for number, (table, column) in enumerate(places):
    if whose == "program":
        path = craft(f"place-{number}", table, column, list(PAYLOADS.values())[number % len(PAYLOADS)])
        run(*OWN[number % len(OWN)], path)
        os.remove(path)
    elif number % 4 == 0 or (table, column) in FREE:
        path = craft(f"place-{number}", table, column, EVERYTHING)
        run(*READERS[number // 4 % len(READERS)], path)
        os.remove(path)
for kind, payload in PAYLOADS.items() if whose == "program" else ():
    path = craft_all(f"all-{kind}", payload)
    for command in OWN:
        run(*command, path)
    os.remove(path)
if whose == "program":
    assert counts[1] > counts[0] / 10, f"only {counts[1]} of {counts[0]} commands show a payload"
    shutil.rmtree(folder)
    print(f"{len(places)} places, {len(PAYLOADS)} payloads, {counts[0]} commands")
    sys.exit()
draws = shutil.which("gnuplot") is not None
few = folder / "few"
(few / "paper").mkdir(parents=True)
for name in ("copy_stride.gp", "best.gp"):
    shutil.copy(pathlib.Path(source, "analysis", name), few / name)
for shipped in pathlib.Path(source, "analysis", "paper").glob("*"):
    if shipped.is_file():
        shutil.copy(shipped, few / "paper")
DRAWING = (["plot", "-o", out, "--format", "svg", "--data", "--x", "stride", "--y", "bandwidth"],
           ["plot", "-o", out, "--format", "svg", "--figure", "best"], ["paper", "-o", out, "--analysis", few])
for kind, payload in (("everything", EVERYTHING), *((kind, PAYLOADS[kind]) for kind in ("gnuplot_line", "not_utf8"))):
    path, other = craft_all(f"all-{kind}", payload), craft_all("other-" + kind, payload)
    comparing = [["compare", other], ["judge", "-f", "md", other], ["judge", "-f", "latex", other],
                 ["history", "--points", other, other], ["history", "-f", "latex", other, other], ["show", point]]
    for command in (*(READERS + tuple(comparing) if kind == "everything" else READERS[:2]), *(DRAWING if draws else ())):
        done = run(*command, path)
        if command[0] == "paper":
            assert done.returncode == 0, done.stderr
            check_page(out / "index.html")
    os.remove(path)
    os.remove(other)

count, shown = counts
assert shown > count / 10, f"only {shown} of {count} commands show a payload"
shutil.rmtree(folder)
print(f"{len(places)} places, {len(PAYLOADS)} payloads, {count} commands" + ("" if draws else "; nothing drawn: no gnuplot"))
