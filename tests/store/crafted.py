"""crafted.py STORE_TOOL WARPSWEEP - results files that somebody made to do harm, or that are damaged: each is refused
with one line, or read, and no command crashes, takes more memory than 1 GB, or lets a terminal be told anything. So
does the Python package, in this process: what it reads has no text that a terminal would obey."""
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import h5py
import numpy

tool, warpsweep = sys.argv[1:]
sanitized = b"__asan_init" in open(warpsweep, "rb").read()  # AddressSanitizer reserves far more than it uses
COMMANDS = (["status", "--verify"], ["merge"])  # of the program; readers are in the package
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python/src"))
os.environ["WARPSWEEP_PROGRAM"] = warpsweep
import warpsweep as package  # noqa: E402


def limited():
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def run(path, *command):
    if command[0] == "merge":
        command += ("-o", os.path.join(folder, "merged.h5"))
        pathlib.Path(command[-1]).unlink(missing_ok=True)
    done = subprocess.run([warpsweep, command[0], path, *command[1:]], capture_output=True, preexec_fn=limited)
    assert done.returncode in (0, 1, 2, 3), (path, command, done.returncode, done.stderr)
    said = done.stdout + done.stderr
    for byte in said.decode("utf-8"):
        assert byte in "\n\t" or (ord(byte) >= 32 and not 127 <= ord(byte) < 160), (command, said)
    return done.returncode, said.decode()


def texts(results):
    """All that a command of the package could print of the file."""
    for name in ("rows", "devices", "environment", "samples", "timeline"):
        frame = getattr(results, name)
        yield from map(str, frame.columns)
        for column in frame.columns[frame.dtypes == object]:
            yield from map(str, frame[column])
    for columns in (results.columns, results.device_columns):
        for column in columns.values():
            yield from map(str, (column.name, column.role, column.unit, column.meaning))
    yield from (*results.attributes.values(), results.job_path)


def read(path, **how):
    """By the package: the message of its refusal, or "" and the results."""
    try:
        results = package.read(path, **how)
        package.frame([results]), results.samples, results.timeline
        for text in texts(results):
            assert all(byte in "\n\t" or byte.isprintable() for byte in text), (path, text)
        return "", results
    except package.WarpsweepError as error:
        assert str(error).isprintable() and path in str(error), (path, str(error))
        return str(error), None


def retyped(file, table, column, kind, value=None):
    """The table with that column of another type."""
    old = file[table][:]
    names = [(name, kind if name == column else old.dtype[name]) for name in old.dtype.names]
    new = numpy.zeros(old.shape, names)
    for name in old.dtype.names:
        new[name] = old[name] if name != column else (0 if value is None else value)
    del file[table]
    file[table] = new


def changed(file, table, column, row, value):
    rows = file[table][:]
    rows[column][row] = value
    file[table][:] = rows


folder = tempfile.mkdtemp()
base = os.path.join(folder, "base.h5")
subprocess.run([tool, "write", base], check=True)
with open(os.path.join(folder, "secret"), "wb") as other:
    other.write(os.urandom(1 << 16))
number = 0


def put_checksums_right(file):
    """The checksums of the tables as they are now: what is refused is refused for its contents."""
    for table in ("results", "samples", "devices", "columns", "environment", "job", "timeline", "statuses"):
        if isinstance(file.get(table, getlink=True), h5py.HardLink) and isinstance(file[table], h5py.Dataset):
            if file[table].size > 1_000_000 or file[table].is_virtual or file[table].external:
                continue
            stored = file[table][()]
            file[table].attrs["crc32"] = numpy.int64(zlib.crc32(stored if table == "job" and isinstance(stored, bytes)
                                                                else numpy.asarray(stored).tobytes()))


def craft(change, expect=None):
    """Every command on a changed copy; `expect`: it is refused, with these words."""
    global number
    number += 1
    path = os.path.join(folder, f"crafted{number}.h5")
    shutil.copy(base, path)
    with h5py.File(path, "r+") as file:
        change(file)
        put_checksums_right(file)
    for command in COMMANDS[:1] if expect else COMMANDS:  # both read a file by the same function
        code, said = run(path, *command)
        assert not expect or (code == 3 and expect in said), (number, command, code, said)
    refusal, _ = read(path)
    assert refusal or not expect, (number, expect)
    return path


# ---- Types: a known column holds something else. Both readers look up what a column holds, by one rule for all: one in
# five of each kind
with h5py.File(base) as file:
    types = {table: file[table].dtype for table in ("results", "devices")}
numeric_axes = {"size", "stride", "unroll"} # may be words
for table, kinds in types.items():
    for kind in "fiuS":
        for column in [name for name in kinds.names if kinds[name].kind == kind and name not in numeric_axes][::5]:
            craft(lambda file: retyped(file, table, column, "<i8" if kinds[column].kind == "S" else "S4"),
                  f"/{table} column '{column}' has type")
craft(lambda file: retyped(file, "results", "size", "S4"))
for table in ("samples", "columns", "environment", "job"):
    craft(lambda file: file.__delitem__(table))
    craft(lambda file: (file.__delitem__(table), file.__setitem__(table, numpy.arange(5))))
craft(lambda file: retyped(file, "columns", "role", "<i8"))
craft(lambda file: retyped(file, "environment", "run", "S9"))

# ---- Numbers out of range
for value in (-1, 1 << 40, -(1 << 63), 21):
    craft(lambda file: changed(file, "results", "sample_count", 3, value), "sample")
    craft(lambda file: changed(file, "results", "sample_offset", 3, value), "sample")
for value in (1, 7, 1 << 40, -5):
    craft(lambda file: changed(file, "results", "device", 3, value), "device")
craft(lambda file: changed(file, "samples", "device", 3, 5), "names device")
for kind, value in (("<i4", -1), ("<i8", -(1 << 63)), ("<f8", -2.0), ("<u4", 1 << 31)):
    craft(lambda file: retyped(file, "samples", "process", kind, value), "has a process that is not from 0")
craft(lambda file: changed(file, "samples", "seconds", 3, numpy.nan), "has seconds nan")
for value in (-5, 1 << 62):
    craft(lambda file: changed(file, "results", "repeat", 3, value), "row 3 of /results has repeat")
    craft(lambda file: changed(file, "results", "run", 3, value), "row 3 of /results has run")
craft(lambda file: changed(file, "results", "status", 3, b"great"), "has status 'great'")
craft(lambda file: changed(file, "results", "id", 3, b"12"), "has id '12'")
craft(lambda file: changed(file, "results", "kernel", 3, b""), "has no kernel")
for value in (-1.0, 0.0, 1e-300, numpy.inf, -numpy.inf, 1e12):
    craft(lambda file: changed(file, "results", "time_median", 3, value), "has time_median")
    craft(lambda file: changed(file, "samples", "seconds", 3, value), "has seconds")
craft(lambda file: changed(file, "results", "bytes_read", 3, -numpy.inf), "has bytes_read -inf")
for value in (-1, 0):
    craft(lambda file: changed(file, "devices", "peak_copy", 0, value), "a peak_copy that cannot be")


def twice(file):
    rows = file["results"][:]
    rows["id"][3], rows["repeat"][3] = rows["id"][2], 0
    rows["repeat"][2] = 0
    file["results"][:] = rows


craft(twice, "rows 2 and 3 of /results are the same point")


def overlapping(file):
    rows = file["results"][:]
    rows["sample_offset"] = 0
    rows["sample_count"] = len(file["samples"])
    file["results"][:] = rows


craft(overlapping, "of another row")

# ---- What is not in the file


def without(file, table, column):
    """The table without that column."""
    old = file[table][:]
    new = numpy.zeros(old.shape, [(name, old.dtype[name]) for name in old.dtype.names if name != column])
    for name in new.dtype.names:
        new[name] = old[name]
    del file[table]
    file[table] = new


craft(lambda file: without(file, "samples", "sm_clock"))
with h5py.File(os.path.join(folder, "merged.h5")) as file:  # of the command before
    assert len(file["samples"]) and numpy.isnan(file["samples"]["sm_clock"]).all() and (file["samples"]["device"] == 0).all()
craft(lambda file: without(file, "samples", "seconds"), "has seconds nan")
craft(lambda file: (file.__delitem__("samples"), file.__setitem__("samples", h5py.ExternalLink("secret", "x"))), "link")
craft(lambda file: (file.move("results", "x"), file.__setitem__("results", h5py.SoftLink("/x"))), "link")


def external(file):
    kind = file["samples"].dtype
    del file["samples"]
    file.create_dataset("samples", (1000,), kind, external=[(os.path.join(folder, "secret"), 0, 1000 * kind.itemsize)])


craft(external, "another file")


def virtual(file):
    kind, count = file["samples"].dtype, len(file["samples"])
    file.move("samples", "x")
    layout = h5py.VirtualLayout((count,), kind)
    layout[:] = h5py.VirtualSource(file["x"])
    file.create_virtual_dataset("samples", layout)


craft(virtual, "view of other data")


# ---- More than it could hold
def bomb(file, table, rows, **how):
    kind = file[table].dtype
    del file[table]
    file.create_dataset(table, (rows,), kind, **how)


for table in ("samples", "results", "environment"):
    for how in ({}, {"chunks": (1 << 14,)}, {"chunks": (1 << 14,), "compression": "gzip", "compression_opts": 9}):
        craft(lambda file: bomb(file, table, 50_000_000, **how), "shape")


def written_bomb(file):
    bomb(file, "samples", 4_000_000, chunks=(1 << 18,), compression="gzip", compression_opts=9)
    file["samples"][:] = 0


craft(written_bomb, "shape")
craft(lambda file: bomb(file, "samples", 10, chunks=(1 << 23,), maxshape=(None,)), "chunks")


def scaled(file):
    del file["job"]
    file.create_dataset("job", data=numpy.arange(100), chunks=(10,), scaleoffset=0)


craft(scaled, "filter")

# ---- What a terminal would obey
escape = b"\x1b]0;owned\x07\x1b[2J\xc2\x9b31m\xff"
for column in ("message", "kernel", "status", "id", "variant"):
    craft(lambda file: retyped(file, "results", column, "S32", escape))
for column in ("name", "host", "driver", "uuid"):
    craft(lambda file: retyped(file, "devices", column, "S32", escape))
for column in ("name", "unit", "meaning"):
    craft(lambda file: retyped(file, "columns", column, "S32", escape))
craft(lambda file: retyped(file, "environment", "value", "S32", escape))


def named(file):
    rows = file["results"][:]
    names = list(rows.dtype.names)
    names[names.index("variant")] = escape[:-1].decode()
    rows.dtype.names = names
    del file["results"]
    file["results"] = rows


path = craft(named)
code, said = run(path, "table", "--columns", "all")
assert code == 0 and "owned" not in said, said  # /columns does not have it

# ---- Checksums: Python's zlib has the same
with h5py.File(base) as file:
    for table in ("results", "samples", "devices", "columns", "environment", "statuses"):
        assert zlib.crc32(file[table][:].tobytes()) == file[table].attrs["crc32"], table
    assert zlib.crc32(file["job"][()].rstrip(b"\0")) == file["job"].attrs["crc32"]
assert run(base, "status", "--verify") == (0, run(base, "status", "--verify")[1]) and ": ok\n" in run(base, "status", "--verify")[1]
TABLES = ("results", "samples", "devices", "columns", "environment", "job", "statuses")
for table in TABLES:
    for wrong in (True, False):  # wrong, or missing beside those of other tables
        path = os.path.join(folder, f"{table}-{wrong}.h5")
        shutil.copy(base, path)
        with h5py.File(path, "r+") as file:
            if wrong:
                file[table].attrs["crc32"] = numpy.int64(int(file[table].attrs["crc32"]) ^ 1)
            else:
                del file[table].attrs["crc32"]
        before = open(path, "rb").read()
        for command in COMMANDS:
            code, said = run(path, *command)
            if command == ["status", "--verify"]:
                assert code == 1 and ("CHECKSUM WRONG" if wrong else "CHECKSUM MISSING") in said, (path, said)
                continue
            assert code == 3 and f"checksum of /{table}" in said, (path, command, code, said)
        refusal, results = read(path)
        assert f"checksum of /{table}" in refusal, (path, refusal)
        assert read(path, salvage=True)[1].unverified == [table], path
        assert open(path, "rb").read() == before, path

# ---- Before anything was written
path = os.path.join(folder, "begun.h5")
open(path + ".journal", "w").close()
for command in COMMANDS:
    code, said = run(path, *command)
    assert code == 3 and "before its first result" in said, (command, said)
assert "before its first result" in read(path)[0]
peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
assert peak < 1 << 20, f"{peak} KiB"
shutil.rmtree(folder)
print(number, "crafted files,", peak, "KiB")
