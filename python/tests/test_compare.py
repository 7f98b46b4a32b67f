"""compare, judge and history: what the commands say of shipped files, as frames."""
import shutil
import subprocess
import sys
import zlib

import h5py
import numpy as np
import pandas as pd
import pytest

import warpsweep


def said(*arguments):
    return subprocess.run([sys.executable, "-m", "warpsweep", *map(str, arguments)], capture_output=True, text=True)


def changed(source, target, factor, rows=lambda t: np.ones(len(t), bool)):
    """A copy of a results file with the times of some rows multiplied, as a slower device would have them."""
    shutil.copy(source, target)
    with h5py.File(target, "r+") as file:
        results, samples = file["results"][:], file["samples"][:]
        for row in results[rows(results)]:
            begin, count = row["sample_offset"], row["sample_count"]
            samples["seconds"][begin:begin + count] *= factor
        for name in [n for n in results.dtype.names if n.startswith("time_")]:
            results[name] = np.where(rows(results), results[name] * factor, results[name])
        for name, table in (("results", results), ("samples", samples)):
            file[name][...] = table
            file[name].attrs["crc32"] = np.int64(zlib.crc32(file[name][:].tobytes()))
    return target


def test_two_files(copies):
    frame = warpsweep.compare(*copies)
    assert isinstance(frame["verdict"].dtype, pd.CategoricalDtype)
    families = warpsweep.families(*copies)
    assert families["kernel"].tolist() == ["copy"]
    for name in ("same", "uncertain", "faster", "slower"):
        assert families[f"points_{name}"][0] == (frame["verdict"] == name).sum()
    judged = frame[frame["ratio"].notna()]
    assert all(r in interval for r, interval in zip(judged["ratio"], judged["ratio_interval"]))
    assert frame["ratio_interval"].isna().sum() == frame["ratio"].isna().sum()
    assert frame.attrs["assumed"]


def test_frames_and_options(copies):
    rows = warpsweep.frame(copies[0])
    some = warpsweep.compare(rows[rows["stride"] == 1], copies[1], where="dtype=f32")
    assert set(some["verdict"]) <= {"same", "uncertain", "only in B", "not measured"}
    assert some["ratio"].notna().sum() == ((rows["stride"] == 1) & (rows["dtype"] == "f32") & (rows["status"] == "ok")).sum()
    by = warpsweep.compare(copies[0], by="variant", baseline="load", kernel="copy", where=["dtype=f32"], threshold=0.5)
    assert set(by["a"]) == {"load"} and "gridstride" in set(by["b"])
    assert not by["verdict"].isin(["faster", "slower"]).all()


def test_refusals(copies, oldest, tmp_path, program):
    with pytest.raises(warpsweep.UsageError, match="times are not comparable"):
        warpsweep.compare(oldest, copies[0])
    assert len(warpsweep.compare(oldest, copies[0], mixed=True))
    with pytest.raises(warpsweep.ResultsFileError, match="no such file"):
        warpsweep.compare(tmp_path / "none.h5", copies[0])
    with pytest.raises(warpsweep.UsageError, match="did you mean 'variant'"):
        warpsweep.compare(copies[0], by="varient")
    with pytest.raises(warpsweep.UsageError, match="--by takes one file"):
        warpsweep.compare(*copies, by="variant")


def test_gate(copies, tmp_path):
    slower = changed(copies[0], tmp_path / "slower.h5", 1.10, lambda t: t["stride"] == 2)
    done = said("compare", copies[0], slower, "--fail-above", "5%", "--annotate")
    assert done.returncode == 1 and "points are slower by more than 5 %" in done.stderr
    assert "::error title=copy is slower::copy " in done.stdout and "stride" in done.stdout
    assert said("compare", *copies, "--fail-above", "5%").returncode == 0
    table = said("compare", copies[0], slower, "-p", "-f", "tsv")
    assert table.stdout.startswith("kernel\t") and "equal variances" in table.stderr


def test_judge_finds_planted_slowness(tmp_path, copies):
    good = copies[0].with_name("h200-judge.h5")
    table = warpsweep.judge(good)
    assert not table.attrs["wrong"] and (table["verdict"] != "slower").all()
    bad = changed(good, tmp_path / "bad.h5", 1.10, lambda t: t["roof"] == b"dram_mix")
    table = warpsweep.judge(bad)
    assert table.attrs["wrong"] == [0] and table.set_index("part").loc["DRAM", "verdict"] == "slower"
    done = said("judge", bad)
    assert done.returncode == 1 and "SLOW" in done.stdout and "NOT AS IT SHOULD BE" in done.stdout
    done = said("judge", good, copies[0])
    assert done.returncode == 2 and "no reference for device 0" in done.stderr


def test_history_finds_a_planted_change(tmp_path, copies):
    def later(source, target, day, factor):
        changed(source, target, factor, lambda t: (t["stride"] == 2) & (t["dtype"] == b"f32"))
        with h5py.File(target, "r+") as file:
            table = file["environment"][:]
            table["value"][table["name"] == b"start"] = b"2027-01-%02dT00:00:00Z" % day
            file["environment"][...] = table
            file["environment"].attrs["crc32"] = np.int64(zlib.crc32(file["environment"][:].tobytes()))
            file.attrs["lineage"] = np.bytes_(f"{day:016x}")
        return target

    runs = [later(copies[day % 2], tmp_path / f"{day}.h5", day, 1.05 if day >= 4 else 1) for day in range(1, 7)]
    table = warpsweep.history(*runs)
    assert len(table) and (table["run"] == 4).all() and (table["verdict"] == "slower").all()
    assert np.allclose(table["ratio"], 1.05, atol=0.02) and (table["stride"] == 2).all()
    done = said("history", *runs, "--points")
    assert done.returncode == 1 and "slower" in done.stdout
    assert said("history", *runs[:3]).returncode == 0
    assert "needs at least 3 files" in said("history", *runs[:2]).stderr
