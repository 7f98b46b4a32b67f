"""salvage.py STORE_TOOL WARPSWEEP - who reads a results file checks it: a value that was changed without the checksum is shown
by no command; resuming stops and changes nothing. Python reads it if it is told to, and names the table. A journal's record that no file may contain is left out, so that the resumed file can be read."""
import glob
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import h5py

warpsweep = sys.argv[2]
folder = tempfile.mkdtemp()
os.chdir(folder)
# In a sanitizer build Open MPI leaks: leaks alone do not change the exit code.
environment = dict(os.environ, WARPSWEEP_FAKE="sleep=0ms;noise=0.01", LSAN_OPTIONS="exitcode=0")


def run(*command, expect=(0,), **more):
    done = subprocess.run([warpsweep, *command], capture_output=True, text=True, env={**environment, **more}, timeout=100)
    assert done.returncode in expect, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


with open("job.yaml", "w") as job:
    job.write("timing: {replicates: 2, max_time: 50ms}\nsweeps:\n  - kernel: copy\n"
              "    axes: {size: [64KiB, 1MiB], vector: [1, 4], variant: [load, store], stride: [1, 2]}\n")
run("run", "job.yaml", "-o", "good.h5", "--backend", "fake")
shutil.copy("good.h5", "bad.h5")
with h5py.File("bad.h5", "r+") as file:
    rows = file["results"][:]
    rows["time_median"][0] /= 2
    file["results"][:] = rows
before = open("bad.h5", "rb").read()

# ---- Refused
MARK = "bad.h5: wrong checksum of /results"
out, said = run("status", "bad.h5", expect=(3,))
assert not out and "checksum of /results" in said and "salvage=True" in said, (out, said)
for name, *options in (["table"], ["compare", "good.h5"]):  # in Python; all by one function
    out, said = run(name, *options, "bad.h5", expect=(3,))
    assert not out and MARK in said, (name, options, out, said)
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python/src"))
import warpsweep as package  # noqa: E402

assert package.read("bad.h5", salvage=True).unverified == ["results"]
run("merge", "bad.h5", "good.h5", "--prefer", "first", "-o", "m.h5", expect=(3,))
assert not os.path.exists("bad.h5.journal") and open("bad.h5", "rb").read() == before

# ---- Resuming stops, and leaves everything as it is
said = run("run", "job.yaml", "-o", "bad.h5", "--backend", "fake", "--resume", expect=(3,))[1]
assert "checksum of /results" in said and open("bad.h5", "rb").read() == before, said
assert sorted(glob.glob("bad.h5*")) == ["bad.h5"], glob.glob("bad.h5*")

# ---- A journal with valid checksums and impossible contents
MAGIC, HEAD = 8, 12  # bytes (src/store/journal/journal.h)
DEVICE, RESULT, SPAN = 2, 3, 4  # types of records (src/store/journal/record.h)


def records(data):
    """(offset, type, payload) of each record, by the lengths."""
    at = MAGIC
    while at + HEAD <= len(data):
        length, _, kind = struct.unpack_from("<III", data, at)
        if at + HEAD + length > len(data):
            return
        yield at, kind, data[at + HEAD:at + HEAD + length]
        at += HEAD + length


def record(kind, payload):
    body = struct.pack("<I", kind) + payload
    crc = zlib.crc32(body, zlib.crc32(struct.pack("<I", len(payload))))
    return struct.pack("<II", len(payload), crc) + body


with open("long.yaml", "w") as job:
    job.write("timing: {max_time: 50ms}\nsweeps:\n  - kernel: copy\n"
              "    axes: {size: [64KiB], variant: [load, store], offset: {from: 0, to: 400, step: 1}}\n")
with open("killed.h5.log", "w") as log:
    victim = subprocess.Popen([warpsweep, "run", "long.yaml", "-o", "killed.h5", "--backend", "fake"], stderr=log,
                              env={**environment, "WARPSWEEP_FAKE": "sleep=5ms"}, start_new_session=True)
    for _ in range(300):  # until it has measured for a while
        if os.path.exists("killed.h5.journal") and os.path.getsize("killed.h5.journal") > 200000:
            break
        time.sleep(0.1)
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
journal = open("killed.h5.journal", "rb").read()
found = list(records(journal))
assert found and {kind for _, kind, _ in found} >= {RESULT}, [kind for _, kind, _ in found]


# A number of a device, or of a change, that no file may have; and a row of /timeline, as release 0.5 wrote them.
for name, kind, payload in (("device", DEVICE, struct.pack("<QI", 1 << 20, 0)), ("result", RESULT, struct.pack("<QI", 1 << 63, 0)),
                            ("span", SPAN, struct.pack("<QII", 0, 1, 0) + bytes(8))):
    for each in glob.glob("killed.h5*"):
        shutil.copy(each, each.replace("killed", name))
    with open(f"{name}.h5.journal", "ab") as out:
        out.write(record(kind, payload))
    run("run", "long.yaml", "-o", f"{name}.h5", "--backend", "fake", "--resume")
    assert f"{name}.h5: ok" in run("status", "--verify", f"{name}.h5")[0]
shutil.rmtree(folder)
print("refused")
