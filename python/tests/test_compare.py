"""compare, judge and history: what the commands say of shipped files, as frames."""
import contextlib
import io
import json
import shutil
import types
import zlib
from copy import deepcopy

import h5py
import numpy as np
import pandas as pd
import pytest

import warpsweep
from warpsweep.__main__ import main
from warpsweep.judging import healths


def said(*arguments):
    """Exit code and output of a command, run in this process."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(list(map(str, arguments)))
    return types.SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=errors.getvalue())


def rewritten(path, **tables):
    """Tables of a file replaced, with their checksums."""
    with h5py.File(path, "r+") as file:
        for name, table in tables.items():
            attributes = dict(file[name].attrs)
            del file[name]
            file[name] = table
            file[name].attrs.update(attributes)
            file[name].attrs["crc32"] = np.int64(zlib.crc32(table.tobytes()))
    return path


def table(path, name):
    with h5py.File(path) as file:
        return file[name][:]


def changed(source, target, factor, rows=lambda t: np.ones(len(t), bool)):
    """A copy of a results file with the times of some rows multiplied, as a slower device would have them."""
    results, samples = table(source, "results"), table(source, "samples")
    for row in results[rows(results)]:
        begin, count = row["sample_offset"], row["sample_count"]
        samples["seconds"][begin:begin + count] *= factor
    for name in [n for n in results.dtype.names if n.startswith("time_")]:
        results[name] = np.where(rows(results), results[name] * factor, results[name])
    return rewritten(shutil.copy(source, target), results=results, samples=samples)


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
    shapes = warpsweep.families(copies[0], by="variant,vector", baseline="memcpy,1", where="variant=load,memcpy")["b"]
    assert list(dict.fromkeys(shapes)) == [f"load,{2**power}" for power in range(6)]


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
    assert "::error title=copy is slower::copy: " in done.stdout and "stride" in done.stdout
    assert said("compare", *copies, "--fail-above", "5%").returncode == 0
    done = said("compare", copies[0], slower, "--points", "-f", "tsv")
    assert done.stdout.startswith("kernel\t") and "equal variances" in done.stderr


def test_gate_sees_points_that_are_lost(copies, tmp_path):
    lost, rows = shutil.copy(copies[1], tmp_path / "lost.h5"), table(copies[1], "results")
    good = np.flatnonzero((rows["status"] == b"ok") & (rows["repeat"] == 0))
    rows["status"][good[:2]] = b"failed"
    rewritten(lost, results=np.delete(rows, good[-10:]))
    done = said("compare", copies[0], lost, "--fail-above", "5%", "--annotate")
    assert done.returncode == 1 and "points that A has measured have no time in B: 2 failed, 10 not in B" in done.stderr
    assert "::error title=points without a time::" in done.stdout


def test_other_code_is_said(paper):
    found = warpsweep.families(paper, paper.with_name("h200-paper.h5"))
    assert (found["code"][found["kernel"] != "all"] == "differs").all()
    assert any("different code of all families" in line for line in found.attrs["assumed"])
    found = warpsweep.families(*(paper.parent / name for name in ("h100-runs/unit4-paper.h5", "h200-held-out/unit9-paper.h5")))
    found = found.set_index("kernel")
    assert (found["code"].drop("all") == "same").all()
    assert found.loc["matmul", "repetition_low"] < found.loc["matmul", "ratio"] < found.loc["matmul", "repetition_high"]


def test_one_sample_has_no_verdict(copies, tmp_path):
    """Two runs of 36 points, one sample each, that differ by 5 %."""
    for name, factor in (("a", 1.0), ("b", 1.05)):
        one = changed(copies[0], tmp_path / f"{name}.h5", factor)
        rows = table(one, "results")
        rows = rows[(rows["status"] == b"ok") & (rows["repeat"] == 0)][:36]
        rows["sample_count"] = np.minimum(rows["sample_count"], 1)
        rewritten(one, results=rows)
    found = warpsweep.compare(tmp_path / "a.h5", tmp_path / "b.h5")
    assert set(found["verdict"]) == {"uncertain"} and found["ratio_low"].isna().all() and (found["ratio"] > 1.03).all()
    assert any("36 points have one sample" in line for line in found.attrs["assumed"])
    assert said("compare", tmp_path / "a.h5", tmp_path / "b.h5", "--fail-above", "1%").returncode == 0


def test_one_wild_sample(copies, tmp_path):
    samples = table(copies[0], "samples")
    samples["seconds"][1234] = 0.5
    wild = rewritten(shutil.copy(copies[0], tmp_path / "wild.h5"), samples=samples)
    before, after = (warpsweep.families(one, copies[1]).iloc[0] for one in (copies[0], wild))
    for name in ("repetition_low", "repetition_high", "shapes_low", "units_high"):
        assert after[name] == pytest.approx(before[name], abs=2e-4)
    assert np.isfinite(warpsweep.compare(wild, copies[1])["ratio_high"].dropna()).all()


def test_copies_are_one_run(copies, tmp_path):
    copy = shutil.copy(copies[0], tmp_path / "copy.h5")
    assert "A and B are the same run." in warpsweep.compare(copies[0], copy).attrs["assumed"]
    with pytest.raises(warpsweep.UsageError, match="copy of it"):
        warpsweep.judge(copies[0], copies[1], copy)
    done = said("history", copies[0], copy, copies[1])
    assert done.returncode == 2 and "1 of the files are copies of others" in done.stderr and "not 2" in done.stderr


def test_what_was_not_measured_is_not_fine(copies, tmp_path):
    good = copies[0].with_name("h200-judge.h5")
    cut = rewritten(shutil.copy(good, tmp_path / "cut.h5"), results=table(good, "results")[:1])
    done = said("judge", cut, "-f", "json")
    (device,) = json.loads(done.stdout)
    assert done.returncode == 1 and device["verdict"] == "not judged in full"
    assert device["missing"] == ["47 of 48 points of the job were not measured."]


def test_no_verdict_beside_other_programs(copies):
    file = deepcopy(warpsweep.read(copies[0].with_name("h200-judge.h5")))
    file.rows["shared"] = "no"
    (health,) = healths(file)
    assert health.words == "as it should be"
    file.rows.loc[file.rows.index[:3], "shared"] = "1 other process: 4711, up to 20 % of SM time"
    (health,) = healths(file)
    assert health.words == "NOT JUDGED" and not health.is_fine and "3 of its points" in health.shared


@pytest.mark.parametrize("kernel, factor, part", [
    pytest.param("gather", 1.2, "DRAM", marks=pytest.mark.weekly), ("copy", 1.03, "DRAM"),
    pytest.param("shared_stride", 1.03, "shared memory", marks=pytest.mark.weekly)])
def test_judge_by_kind_and_by_point(copies, tmp_path, kernel, factor, part):
    bad = changed(copies[0].with_name("h200-judge.h5"), tmp_path / "bad.h5", factor, lambda t: t["kernel"] == kernel.encode())
    done = said("judge", bad, "-f", "json")
    (device,) = json.loads(done.stdout)
    assert device["verdict"] == "not as it should be"
    assert done.returncode == 1 and part in [p["part"] for p in device["parts"] if p["slow"]]


def test_judge_finds_planted_slowness(tmp_path, copies):
    good = copies[0].with_name("h200-judge.h5")
    bad = changed(good, tmp_path / "bad.h5", 1.10, lambda t: t["roof"] == b"dram_mix")
    found = warpsweep.judge(bad)
    assert found.attrs["wrong"] == [0] and found.set_index("part").loc["DRAM", "verdict"] == "slower"
    done = said("judge", good, copies[0])
    assert done.returncode == 2 and "no reference for device 0" in done.stderr


def test_history_finds_a_planted_change(tmp_path, copies):
    def later(source, target, day, factor):
        changed(source, target, factor, lambda t: (t["stride"] == 2) & (t["dtype"] == b"f32"))
        about = table(target, "environment")
        about["value"][about["name"] == b"start"] = b"2027-01-%02dT00:00:00Z" % day
        rewritten(target, environment=about)
        with h5py.File(target, "r+") as file:
            file.attrs["lineage"] = np.bytes_(f"{day:016x}")
        return target

    runs = [later(copies[day % 2], tmp_path / f"{day}.h5", day, 1.05 if day >= 4 else 1) for day in range(1, 7)]
    done = said("history", *runs, "--format", "json")
    found = pd.DataFrame(json.loads(done.stdout)["changes"])
    assert done.returncode == 1
    assert len(found) and (found["run"] == 4).all() and (found["verdict"] == "slower").all()
    assert np.allclose(found["ratio"], 1.05, atol=0.02) and (found["stride"] == 2).all()
    done = said("history", *runs[:3], "--points")
    assert done.returncode == 0 and "0 changes" in done.stdout
    assert "needs at least 3 files" in said("history", *runs[:2]).stderr


def test_files_of_other_families(copies):
    """Axes that one file does not have at all are no reason to stop."""
    found = warpsweep.compare(copies[0].with_name("h200-torch.h5"), copies[0].with_name("h200-types.h5"))
    assert set(found["verdict"]) == {"only in A", "only in B"} and found["ratio"].isna().all()
