"""compare and history: what the commands say of shipped files, as frames."""
import copy
import json
import re
import shutil

import h5py
import numpy as np
import pandas as pd
import pytest
from planted import changed, rewritten, said, table

import warpsweep
from warpsweep import derived, frames
from warpsweep.results import read


def test_two_files(copies):
    frame = warpsweep.compare(*copies)
    assert isinstance(frame["verdict"].dtype, pd.CategoricalDtype)
    families = warpsweep.families(*copies)
    assert families["kernel"].tolist() == ["copy"]
    for name in ("same", "uncertain", "faster", "slower"):
        assert families[f"points_{name}"][0] == (frame["verdict"] == name).sum()
    judged = frame[frame["ratio"].notna()]
    assert ((judged["ratio_low"] <= judged["ratio"]) & (judged["ratio"] <= judged["ratio_high"])).all()
    assert frame.attrs["assumed"]


def test_options(copies):
    rows = warpsweep.frame(copies[0])
    some = warpsweep.compare(warpsweep.read(copies[0]), copies[1], where=["dtype=f32", "stride=1"])
    assert set(some["verdict"]) <= {"same", "uncertain", "not measured"}
    assert some["ratio"].notna().sum() == ((rows["stride"] == 1) & (rows["dtype"] == "f32") & (rows["status"] == "ok")).sum()
    by = warpsweep.compare(copies[0], by="variant", baseline="load", kernel="copy", where=["dtype=f32"], threshold=0.5)
    assert set(by["a"]) == {"load"} and "gridstride" in set(by["b"])
    assert not by["verdict"].isin(["faster", "slower"]).all()
    shapes = warpsweep.families(copies[0], by="variant,vector", baseline="memcpy,1", where="variant=load,memcpy")["b"]
    assert list(dict.fromkeys(shapes)) == [f"load,{2**power}" for power in range(6)]


def test_refusals(copies, oldest, tmp_path, program):
    with pytest.raises(warpsweep.UsageError, match="times are not comparable"):
        warpsweep.compare(oldest, copies[0])
    mixed = warpsweep.compare(oldest, copies[0], mixed=True)
    assert mixed[["share_a", "share_b"]].notna().any().all()  # both by the point's roof, whatever release 0.1 divided by
    with pytest.raises(warpsweep.ResultsFileError, match="no such file"):
        warpsweep.compare(tmp_path / "none.h5", copies[0])
    with pytest.raises(warpsweep.UsageError, match="did you mean 'variant'"):
        warpsweep.compare(copies[0], by="varient")
    with pytest.raises(warpsweep.UsageError, match="--by takes one file"):
        warpsweep.compare(*copies, by="variant")


def test_a_gate_below_the_threshold_lowers_it(copies, tmp_path):
    slower = changed(copies[0], tmp_path / "slower.h5", 1.008)
    done = said("compare", copies[0], slower, "--fail-above", "0.5%")
    assert done.returncode == 1 and "points are slower by more than 0.5 %" in done.stderr and "larger than 0.5 %" in done.stdout
    assert "larger than 1 %" in said("compare", copies[0], slower, "--fail-above", "5%").stdout
    done = said("compare", copies[0], slower, "--fail-above", "0.5%", "-t", "1%")
    assert done.returncode == 2 and "--fail-above 0.5% is below --threshold 1%" in done.stderr


def test_one_process_is_called_neither_faster_nor_slower(copies, tmp_path):
    """Nor the same: how processes differ is unknown. Such a file cannot pass a gate."""
    slower = changed(copies[0], tmp_path / "slower.h5", 1.10)
    assert warpsweep.compare(copies[0], slower)["verdict"].eq("slower").sum() > 100
    for path in (shutil.copy(copies[0], tmp_path / "one.h5"), slower):
        samples = table(path, "samples")
        samples["process"] = 0
        rewritten(path, samples=samples)
    text = said("compare", tmp_path / "one.h5", slower, "--threshold", "1%").stdout
    assert "difference between processes is unknown, and these points are uncertain" in " ".join(text.split())
    for by in (1, 10):
        found = warpsweep.compare(tmp_path / "one.h5", slower, threshold=0.01 * by)
        assert set(found["verdict"]) <= {"uncertain", "not measured"} and found["verdict"].eq("uncertain").sum() > 400
    done = said("compare", tmp_path / "one.h5", slower, "--fail-above", "5%")
    assert done.returncode == 1 and "one process measured each point, so none can be called slower" in done.stderr
    assert said("compare", copies[0], tmp_path / "one.h5", "--fail-above", "50%").returncode == 0  # A's processes stand for B's


def test_gate(copies, tmp_path):
    slower = changed(copies[0], tmp_path / "slower.h5", 1.10, lambda t: t["stride"] == 2)
    done = said("compare", copies[0], slower, "--fail-above", "5%")
    assert done.returncode == 1 and "points are slower by more than 5 %" in done.stderr
    assert said("compare", *copies, "--fail-above", "5%").returncode == 0
    done = said("compare", copies[0], slower, "--points", "-f", "tsv")
    assert done.stdout.startswith("kernel\t") and "equal variances" in done.stderr


def test_gate_sees_points_that_are_lost(copies, tmp_path):
    lost, rows = shutil.copy(copies[1], tmp_path / "lost.h5"), table(copies[1], "results")
    good = np.flatnonzero((rows["status"] == b"ok") & (rows["repeat"] == 0))
    rows["status"][good[:2]] = b"failed"
    rewritten(lost, results=np.delete(rows, good[-10:]))
    done = said("compare", copies[0], lost, "--fail-above", "5%")
    assert done.returncode == 1 and "points that A has measured have no time in B: 2 failed, 10 not in B" in done.stderr


def test_what_differs_is_named_and_unknown_is_not_different(paper):
    """Sources differ: 6 families may still be the same, and of one the registers tell. Of one release: the same code."""
    before, after = (copy.deepcopy(read(paper.with_name("h100-chip.h5"))) for _ in range(2))
    after.environment.loc[after.environment["name"].str.startswith("code."), "value"] = "other"
    after.rows["registers"] += after.rows["kernel"] == "latency"
    found = warpsweep.families(before, after)
    assert set(found.loc[found["code"] != "", "kernel"]) == {"latency", "all"}
    said = " ".join(found.attrs["assumed"])
    assert "Different code of latency:" in said and "6 families is the same is unknown" in said and "all families" not in said
    found = warpsweep.families(paper, paper.parent / "h200-runs/unit10-paper.h5")
    found = found.set_index("kernel")
    assert (found["code"] == "same").all()
    assert found.loc["matmul", "repetition_low"] < found.loc["matmul", "ratio"] < found.loc["matmul", "repetition_high"]


@pytest.mark.parametrize("part", ["code", "launch", "protocol"])
def test_hashes_of_rows_name_the_part_that_differs(copies, part):
    a, b = (copy.deepcopy(read(path)) for path in copies)
    for file in (a, b):
        file.environment_pairs = {**file.environment_pairs, "code.copy": str(file.path)}
        for name in ("code", "launch", "protocol"):
            file.rows[f"{name}_hash"] = file.rows["id"]
    said = warpsweep.compare(a, b).attrs["assumed"]
    assert not any("Different" in line or "unknown" in line for line in said)
    b.rows.loc[b.rows.query("repeat == 0").index[:1], f"{part}_hash"] = "another"
    said = warpsweep.compare(a, b).attrs["assumed"]
    assert [line for line in said if "Different" in line] == [f"Different {part} of copy: these ratios are of that, too."]


def later(path, day):
    """The file as a run of another day."""
    about = table(path, "environment")
    about["value"][about["name"] == b"start"] = b"2027-01-%02dT00:00:00Z" % day
    rewritten(path, environment=about)
    with h5py.File(path, "r+") as file:
        file.attrs["lineage"] = np.bytes_(f"{day:016x}")
    return path


def test_one_sample_has_no_verdict(copies, tmp_path):
    """Runs of one sample each, the second slower by 5 %: in no command it is known whether that is a difference."""
    for name, factor in (("a", 1.0), ("b", 1.05), ("c", 1.0)):
        one = changed(copies[0], tmp_path / f"{name}.h5", factor)
        rows = table(one, "results")
        rows = rows[(rows["status"] == b"ok") & (rows["repeat"] == 0)][:72]
        rows["sample_count"] = np.minimum(rows["sample_count"], 1)
        later(rewritten(one, results=rows), ord(name) - 96)
    found = warpsweep.compare(tmp_path / "a.h5", tmp_path / "b.h5")
    assert set(found["verdict"]) == {"uncertain"} and found["ratio_low"].isna().all() and (found["ratio"] > 1.03).all()
    assert any("One sample on one side: 72 points" in line for line in found.attrs["assumed"])
    gate = said("compare", tmp_path / "a.h5", tmp_path / "b.h5", "--fail-above", "1%")
    assert gate.returncode == 1 and "none can be called slower" in gate.stderr  # a gate that cannot fail is none
    assert set(warpsweep.compare(tmp_path / "a.h5", by="size")["verdict"]) == {"uncertain"}
    done = said("history", *(tmp_path / f"{name}.h5" for name in "abc"), "--points")
    assert done.returncode == 0 and "0 changes at 0 of 72 points" in done.stdout


def test_one_wild_sample(copies, tmp_path):
    samples = table(copies[0], "samples")
    samples["seconds"][1234] = 0.5
    wild = rewritten(shutil.copy(copies[0], tmp_path / "wild.h5"), samples=samples)
    before, after = (warpsweep.families(one, copies[1]).iloc[0] for one in (copies[0], wild))
    for name in ("repetition_low", "repetition_high", "shapes_low", "units_high"):
        assert after[name] == pytest.approx(before[name], abs=2e-4)
    assert np.isfinite(warpsweep.compare(wild, copies[1])["ratio_high"].dropna()).all()
    both = frames.frame([wild, copies[1]])
    for name in ("again", "ratios", "families"):  # of figures
        made = derived.table(name, both)
        assert np.isfinite(made.select_dtypes("number").drop(columns=[one for one in made if made[one].isna().all()])).all(axis=None)


def test_cycles_where_the_clock_was_lowered(copies, tmp_path):
    """The clock falls by a tenth in one process of either variant, another one each: times scatter, cycles do not."""
    rows, samples = table(copies[0], "results"), table(copies[0], "samples")
    chosen = (rows["stride"] == 1) & (rows["vector"] == 1) & (rows["size"] == 1 << 30) & (rows["repeat"] == 0)
    chosen &= np.isin(rows["variant"], [b"load", b"gridstride"]) & (rows["dtype"] == b"f32")
    before = warpsweep.compare(copies[0], by="variant", baseline="load", where="size=1GiB stride=1 vector=1 dtype=f32".split())
    assert chosen.sum() >= 2 and "cycles_ratio" not in before
    for row in rows[chosen]:
        its = slice(row["sample_offset"], row["sample_offset"] + row["sample_count"])
        numbers = np.unique(samples["process"][its])
        slow = samples["process"][its] == numbers[int(row["variant"] == b"load")]
        samples["seconds"][its] *= np.where(slow, 1.1, 1)
        samples["sm_clock"][its] /= np.where(slow, 1.1, 1)
    rows["sm_clock"][chosen] /= 1.03
    limited = rewritten(shutil.copy(copies[0], tmp_path / "limited.h5"), results=rows, samples=samples)
    options = {"by": "variant", "baseline": "load", "where": "size=1GiB stride=1 vector=1 dtype=f32 variant=load,gridstride".split()}
    after, of = warpsweep.compare(limited, **options), before[before["b"] == "gridstride"]
    assert (after["ratio_high"] / after["ratio_low"] > 1.05).all()
    assert np.allclose(after["cycles_ratio"], of["ratio"], rtol=5e-3)
    assert (after["cycles_high"] / after["cycles_low"] < 1.02).all()
    family = warpsweep.families(limited, **options).iloc[0]
    assert family["cycles_low"] < family["cycles_ratio"] < family["cycles_high"] < 1.02 * family["cycles_low"]
    done = said("compare", limited, "--by", "variant", "--baseline", "load", "-w", "variant=load,gridstride", "--points")
    assert done.returncode == 0 and " cycles " in done.stdout


def test_copies_are_one_run(copies, tmp_path):
    copy = shutil.copy(copies[0], tmp_path / "copy.h5")
    assert "A and B are the same run." in warpsweep.compare(copies[0], copy).attrs["assumed"]
    with pytest.raises(warpsweep.UsageError, match="copy of it"):
        warpsweep.judge(copies[0], copies[1], copy)
    done = said("history", copies[0], copy, copies[1])
    assert done.returncode == 2 and "left out as copies of others: 1 file" in done.stderr and "not 2" in done.stderr


def test_history_finds_a_planted_change(tmp_path, copies):
    def run(source, target, day, factor):
        changed(source, target, factor, lambda t: (t["stride"] == 2) & (t["dtype"] == b"f32"))
        rows = table(target, "results")
        return later(rewritten(target, results=rows[rows["dtype"] == b"f32"]), day)

    runs = [run(copies[day % 2], tmp_path / f"{day}.h5", day, 1.05 if day >= 4 else 1) for day in range(1, 7)]
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
    found = warpsweep.compare(copies[0].with_name("h200-torch.h5"), copies[0].with_name("h200-tensor.h5"))
    assert set(found["verdict"]) == {"only in A", "only in B"} and found["ratio"].isna().all()


def test_families_of_one_side_are_a_number_and_no_rows(paper, copies):
    """A comparison of fifteen families with one has the row of this one; no sentence speaks of more points than were compared."""
    done = said("compare", paper, copies[0])
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"[a-z_]+ +\d+ +[\d.]+ ", line)]
    assert [row[0] for row in rows] == ["copy", "all"] and "\n14 families without a point on both sides\n" in done.stdout
    text = " ".join(done.stdout.split())
    assert all(int(count) <= int(rows[1][1]) for count in re.findall(r"(\d+) points, and another run", text))
