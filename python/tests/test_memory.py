"""What readers take of memory: little for a row, and what the machine lacks is said before it is taken."""
import os
import resource
import subprocess
import sys
import zlib

import h5py
import numpy as np
import pytest

from conftest import ROOT

from warpsweep.__main__ import main
from warpsweep import (checks, columns, comparison, diagnosis, directives, errors, frames, memory, panels, pivots, plots, rates, results, stored,
                       time_model)

ROWS, ROW_MAX = 100_000, 3000  # bytes a row


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file of ROWS rows and six samples each: those of a shipped file over and over, with other ids."""
    path = tmp_path_factory.mktemp("many") / "many.h5"
    with h5py.File(ROOT / "analysis/data/h200-copy.h5") as source, h5py.File(path, "w") as file:
        for name, value in source.attrs.items():
            file.attrs[name] = value
        for name in set(source) - {"results", "samples"}:
            source.copy(name, file)
        rows, samples = source["results"][:], source["samples"][:]
        rows = np.resize(rows[rows["repeat"] == 0], ROWS)
        count, first = np.minimum(rows["sample_count"], 6), rows["sample_offset"]
        place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
        rows["id"] = np.char.mod("%016x", np.arange(ROWS)).astype("S16")
        rows["sample_count"], rows["sample_offset"] = count, np.cumsum(count) - count
        for name, data in (("results", rows), ("samples", samples[place])):
            file.create_dataset(name, data=data, chunks=True, compression=1, shuffle=True)
            file[name].attrs["crc32"] = np.uint32(zlib.crc32(data.tobytes()))
    return path


def start(*words, limit=None):
    """A command in a process of its own: exit code, the address space that it took at most, and what it said."""
    before = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None
    code = ("import re, sys; from warpsweep.__main__ import main; code = main(sys.argv[1:]); "
            "print(re.search('VmPeak:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr); sys.exit(code)")
    path = os.pathsep.join([str(ROOT / "python/src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], preexec_fn=before, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    said = done.stderr.splitlines()
    return done.returncode, 1024 * int(said[-1]), said[:-1]


@pytest.mark.parametrize("command, of_row", [("pivot", ROW_MAX // 4), ("report", ROW_MAX)])
def test_too_many_rows_are_refused(many, command, of_row):
    """More than a small file takes, that is Python with its packages. Refused in one line, before the memory is taken."""
    base = start(command, ROOT / "analysis/data/h200-copy.h5")[1]
    code, _, said = start(command, many, limit=base + ROWS * of_row)
    assert code == 3 and len(said) == 1
    assert "of memory, and" in said[0] and str(many) in said[0]


def test_a_row_takes_little(many):
    """Within the address space that ROW_MAX allows beyond that of the packages."""
    code = ("import re, resource, sys; from warpsweep import frames; "
            "frames.frame(sys.argv[2], columns=['bandwidth_low']); "  # what is loaded once
            "used = int(re.search('VmSize:\\s+(\\d+)', open('/proc/self/status').read())[1]) << 10; "
            f"resource.setrlimit(resource.RLIMIT_AS, (used + {ROWS * ROW_MAX},) * 2); "
            "print(len(frames.frame(sys.argv[1], columns=['bandwidth_low'])))")
    path = os.pathsep.join([str(ROOT / "python/src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code, str(many), str(ROOT / "analysis/data/h200-copy.h5")], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    assert done.stdout == f"{ROWS}\n", done.stderr


def test_columns_by_need_have_the_values_of_all(paper):
    whole = frames.frame(results.read(paper))
    part = frames.frame(str(paper), columns=["bandwidth_low", "device.host"])
    assert set(part) < set(whole) and {"bandwidth_low", "device.host"} <= set(part)
    for name in part:
        assert part[name].equals(whole[name].astype(part[name].dtype)), name


@pytest.mark.parametrize("words", [["table"], ["table", "--top", "2"], ["pivot", "-d", "half=time_median/2", "-c", "id,half"],
                                   ["table", "-s", "time_mad"], ["table", "-w", "registers>20", "-c", "id,registers,device.host"],
                                   ["pivot", "-f", "text", "-p", "rows=stride,cols=variant,value=time_p95", "-w", "size=1GiB"]])
def test_tables_are_those_of_all_columns(capsys, monkeypatch, words):
    """Of the columns that the options do not need, none is kept."""
    name, *options = words
    command = [name, str(ROOT / "analysis/data/h100-copy.h5"), *options]
    code, part = main(command), capsys.readouterr()
    monkeypatch.setattr(pivots, "_needed", lambda arguments: None)
    assert (main(command), capsys.readouterr()) == (code, part)
    assert code == 0 and part.out.count("\n") > 2 or "several rows" in part.err


def test_rows_in_portions_are_the_same(capsys, monkeypatch):
    """Estimates, and lines that are written."""
    command = ["table", str(ROOT / "analysis/data/h100-energy.h5"), "-c", "all", "-f", "tsv"]
    whole = main(command), capsys.readouterr().out
    monkeypatch.setattr(pivots, "PORTION", 7)
    monkeypatch.setattr(rates, "PORTION", 5)
    monkeypatch.setattr(time_model, "PORTION", 3)
    for name in ("read", "frame"):  # anew
        monkeypatch.setattr(frames, name, getattr(frames, name).__wrapped__)
    assert (main(command), capsys.readouterr().out) == whole and whole[1].count("\n") > 20


def test_figures_are_those_of_all_columns(paper):
    """Of the columns that no line of a figure names, none is kept; formulas take counters, and lines properties of the device."""
    of_all = plots.read_rows([paper])
    for d in directives.read_folder(ROOT / "analysis", ["copy_stride", "gather_stride", "shared_stride_ladder", "host_copy_size"]):
        rows = plots.read_rows([paper], "", panels.needed(d, []))
        assert set(rows) < set(of_all)
        (part, one), (whole, other) = (plots.Request(of).make(d) for of in (rows, of_all))
        assert (one.script, one.table, part.caption) == (other.script, other.table, whole.caption)
    assert panels.needed(directives.Directives("", {"table": ["best"]}), []) is None


@pytest.mark.parametrize("words", [["compare", "h100-copy", "h100-copy-again", "--points"], ["compare", "h200-copy", "--by", "variant"],
                                   ["compare", "h100-copy", "h200-copy", "-w", "registers>20"], ["judge", "h200-judge"],
                                   ["history", "h200-runs", "h200-runs", "h200-runs"]])
def test_comparisons_are_those_of_all_columns(capsys, monkeypatch, words):
    data = ROOT / "analysis/data"
    runs = sorted((data / "h200-runs").glob("*.h5"))
    files = iter(runs)
    command = [str(next(files)) if word.startswith("h200-runs") else str(data / f"{word}.h5") if word.startswith("h") and "-" in word else word
               for word in words]
    part = main(command), capsys.readouterr()
    files = [word for word in command if word.endswith(".h5")] + diagnosis.shipped() * (words[0] == "judge")
    every = [set(results.read(file).columns) for file in files]
    monkeypatch.setattr(comparison, "COMPARED", set.union(*every))
    assert (main(command), capsys.readouterr()) == part and part[1].out


def test_a_column_that_was_not_read_is_no_missing_one(paper):
    """What a reader has not asked for would be NaN, as of a file that has no such column."""
    (part,) = comparison.opened([str(paper)])
    assert 3 * len(comparison.COMPARED | results.NEEDED) < len(part.columns) and len(part.rows.columns) < 0.6 * len(part.columns)
    for of in (columns.reals, columns.texts):
        with pytest.raises(KeyError, match="column load_requests was not read"):
            of(part.rows, "load_requests")
        assert len(of(part.rows, "no_such_column")) == len(part.rows)


def test_devices_are_beside_rows(paper):
    """Of the hundred columns of /devices none is repeated for each row, and all are found."""
    whole, part = frames.frame(str(paper)), frames.frame(str(paper), devices=[])
    assert [name for name in part if name.startswith("device.")] == list(frames.OF_DEVICES)
    for name, of in {"device.peak_copy": columns.reals, "device.host": columns.texts}.items():
        assert name in whole and of(part, name).equals(of(whole, name)) and of(part[5:9], name).equals(of(whole[5:9], name))
    assert part["predicted_time"].equals(whole["predicted_time"])


def test_columns_that_are_not_kept_are_checked(small, tmp_path):
    path = tmp_path / "wrong.h5"
    path.write_bytes(small.read_bytes())
    with h5py.File(path, "r+") as file:
        rows = file["results"][:]
        rows["time_mad"][7] = -1
        file["results"][:] = rows
        file["results"].attrs["crc32"] = np.uint32(zlib.crc32(rows.tobytes()))
    with pytest.raises(errors.ResultsFileError, match="row 7 of /results has time_mad -1, which cannot be"):
        results.read(path, columns=[])


def test_tables_read_in_portions_are_the_same(paper, monkeypatch):
    whole = results.read(paper, columns=None)
    monkeypatch.setattr(stored, "PORTION", 20_000)
    monkeypatch.setattr(stored, "WORDS_MAX", 4)
    part = results.read(paper, salvage=True)
    assert whole.rows.equals(part.rows) and not part.unverified
    numbers = checks.Numbers("results")
    with h5py.File(paper) as file:
        rows = file["results"][:9]
        rows["repeat"][4] = -3
        numbers.inspect(rows, 100)
    assert numbers.wrong == "row 104 of /results has repeat -3, which cannot be"


@pytest.mark.parametrize("version", [1, 2])
def test_a_control_group_limits(tmp_path, version):
    """So does each that contains it; pages of files are given back on demand."""
    proc = tmp_path / "proc/self"
    proc.mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemFree: 5 kB\nMemAvailable:    8000 kB\n")
    assert memory.available(tmp_path) == 8_192_000
    top = tmp_path / "sys/fs/cgroup" / ("memory" if version == 1 else "")
    limit, use, cache = (
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        if version == 1 else ("memory.max", "memory.current", "inactive_file"))
    (proc / "cgroup").write_text({1: "4:memory:/job/step\n", 2: "0::/job/step\n"}[version])
    for group, most in (("job", "5000000"), ("job/step", "max" if version == 2 else str(2**63 - 4096))):
        (top / group).mkdir(parents=True)
        (top / group / limit).write_text(most + "\n")
        (top / group / use).write_text("4000000\n")
        (top / group / "memory.stat").write_text(f"anon 3000000\n{cache} 700000\n")
    assert memory.available(tmp_path) == 5_000_000 - 4_000_000 + 700_000
    with pytest.raises(errors.WarpsweepError, match="needs about 9000000.0 GB of memory"):
        memory.demand(tmp_path, 9e15)
