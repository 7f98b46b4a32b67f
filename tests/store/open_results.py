"""Opens results files with h5py, pandas and h5dump, and has store_tool read files of other releases.

usage: open_results.py STORE_TOOL
"""
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy
import pandas

KEPT = (b"identity", b"axis", b"status")  # roles of columns that are there without a value, too
tool = os.path.abspath(sys.argv[1])


def run(*arguments, expect=0):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def check_results(path):
    f = path
    frame = pandas.DataFrame(h5py.File(f)["results"][:])
    assert len(frame) == 20
    assert frame["kernel"].str.decode("utf-8").eq("stream").all()
    assert frame["size"].dtype == numpy.int64 and list(frame["size"]) == [(i + 1) * 1024 for i in range(20)]
    assert frame["time_median"].dtype == numpy.float64
    failed = frame["status"] == b"failed"
    assert list(frame.index[failed]) == [6, 13]
    assert frame["time_median"][failed].isna().all() and (frame["sample_count"][failed] == 0).all()
    times = [1e-3 * (i + 1) for i in frame.index[~failed]]
    assert numpy.allclose(frame["time_median"][~failed], times, rtol=1e-15)
    assert "power" not in frame, "no row has a value"
    assert frame["message"][6] == b"wrong output 6" and frame["status"][6] == b"failed"
    assert all(len(key) == 16 and int(key, 16) for key in frame["id"])


def check_rest(path):
    with h5py.File(path, "r") as file:
        results = file["results"]
        for row in results[:]:
            times = file["samples"]["seconds"][row["sample_offset"]:row["sample_offset"] + row["sample_count"]]
            assert numpy.array_equal(times, row["time_median"] + numpy.arange(row["sample_count"]))
        described = {(row["table"].decode(), row["name"].decode()) for row in file["columns"][:]}
        for table in ("results", "samples", "devices"):
            names = {(table, name) for name in file[table].dtype.names}
            assert names <= described, table
        assert {("results", "power"), ("devices", "datasheet"), ("devices", "numa_node")} <= described
        assert not {"datasheet", "numa_node"} & set(file["devices"].dtype.names)
        always = {row["name"].decode() for row in file["columns"][:] if row["table"] == b"results" and row["role"] in KEPT}
        assert always <= set(results.dtype.names) and len(results.dtype.names) < len(always) + 50
        roles = {row["name"].decode(): row["role"].decode() for row in file["columns"][:] if row["table"] == b"results"}
        assert roles["stride"] == "axis" and roles["throttle_mask"] == "environment" and roles["id"] == "identity"
        assert all(row["meaning"] for row in file["columns"][:])
        devices = pandas.DataFrame(file["devices"][:])
        assert devices["name"][0] == b"Test device"
        assert file["job"][()].startswith(b"title: test")
        assert file["job"].attrs["planned"] == 100 and file["job"].attrs["path"] == b"jobs/test.yaml"
        environment = {row["name"]: row["value"] for row in file["environment"][:]}
        assert environment[b"commit"] == b"abcdef"
        assert file.attrs["format"] == b"warpsweep results" and file.attrs["format_version"] == 1


def check_h5dump(path):
    if not shutil.which("h5dump"):
        print("h5dump is not here: that part is left out")
        return
    for table in ("results", "samples", "devices", "columns", "job", "environment"):
        done = subprocess.run(["h5dump", "-d", "/" + table, path], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, (table, done.stderr)
    text = subprocess.run(["h5dump", "-d", "/results", path], capture_output=True, text=True).stdout
    assert '"stream' in text and "time_median" in text


def older_release(path):
    """A file with few columns, of narrower types, and one column of a kind that no release writes."""
    row = numpy.dtype([("id", "S16"), ("kernel", "S4"), ("repeat", "i2"), ("status", "S2"), ("device", "i4"),
                       ("sample_count", "u4"), ("sample_offset", "i8"), ("time_median", "f4"), ("odd", "f4", (3,))])
    with h5py.File(path, "w") as file:
        file.attrs["format"] = numpy.bytes_("warpsweep results")
        file.attrs["format_version"] = 1
        file["results"] = numpy.array([(b"00000000000000ff", b"copy", 0, b"ok", -1, 0, 0, 0.25, (1, 2, 3))], row)


def check_other_releases(folder):
    older = os.path.join(folder, "older.h5")
    older_release(older)
    assert run("read", older) == "1 0.25\n"
    run("resume", older)
    assert run("read", older) == "6 0.25\n"
    with h5py.File(older, "r") as file:
        assert file["results"]["repeat"].dtype == numpy.int64

    newer = os.path.join(folder, "newer.h5")
    older_release(newer)
    with h5py.File(newer, "a") as file:
        file.attrs["format_version"] = 99
    assert "newer release" in run("read", newer, expect=3)

    foreign = os.path.join(folder, "foreign.h5")
    with h5py.File(foreign, "w") as file:
        file["results"] = numpy.arange(10)
    before = open(foreign, "rb").read()
    assert "not a results file of warpsweep" in run("read", foreign, expect=3)
    assert "not a results file of warpsweep" in run("resume", foreign, expect=3)
    assert open(foreign, "rb").read() == before, "a foreign file stays as it is"

    odd = os.path.join(folder, "odd.h5")
    for columns in ([("id", "S16")], [("id", "i8"), ("kernel", "S4")]):
        with h5py.File(odd, "w") as file:
            file.attrs["format"] = numpy.bytes_("warpsweep results")
            file.attrs["format_version"] = 1
            file["results"] = numpy.zeros(3, columns)
        assert "column" in run("read", odd, expect=3)
    with h5py.File(odd, "w") as file:
        file.attrs["format"] = numpy.bytes_("warpsweep results")
        file.attrs["format_version"] = 1
        file["results"] = numpy.arange(10)
    assert "not a table" in run("read", odd, expect=3)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "results.h5")
    run("write", path)
    check_results(path)
    check_rest(path)
    check_h5dump(path)
    with h5py.File(path, "a") as file:  # what a user adds is not lost in silence
        file.attrs["author"], file["results"].attrs["mine"], file["notes"] = "me", 1, numpy.arange(3)
    said = subprocess.run([tool, "resume", path], capture_output=True, text=True, check=True).stderr
    assert "has added: attribute author, /notes, attribute /results.mine" in said, said
    assert run("read", path) == "25 0.001\n"
    with h5py.File(path) as file:  # values have come, and the device is the one that was there
        power = file["results"]["power"]
        assert numpy.isnan(power[:20]).all() and (power[20:] == 250).all() and len(file["devices"]) == 1
    check_other_releases(folder)
print("h5py", h5py.__version__, "pandas", pandas.__version__, "HDF5", h5py.version.hdf5_version)
