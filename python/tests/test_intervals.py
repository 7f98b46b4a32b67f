"""One estimator: an interval is derived from the raw samples. test_one_value.py has what commands print."""
import numpy as np
import pytest
from scipy import stats

from conftest import ROOT, SHIPPED

from warpsweep import diagnosis, differences, estimates, frames, results
from warpsweep.rows import is_above_roof

ENDS = ["time_ci_low", "time_ci_high"]


@pytest.mark.parametrize("path", SHIPPED)
def test_comparisons_have_the_interval_of_all(path):
    file = results.read(path)
    frame = frames.frame(file)
    rows = frame[(frame["status"] == "ok") & (frame["sample_count"] > 0) & ~is_above_roof(frame)].set_index("id")
    assert len(rows) and rows[ENDS].notna().all(axis=None)
    assert (rows["time_ci_low"] <= rows["time_median"]).all() and (rows["time_median"] <= rows["time_ci_high"]).all()
    c = differences.prepare(file, file)  # compare and history: estimates, before other units and runs are added
    e = estimates.finish(c.a.assign(between=0.0, between_dof=np.inf))
    ids = file.rows["id"].reindex(c.pairs["a"]).to_numpy()
    measured = np.isin(ids, rows.index)
    assert np.allclose(e[["low", "high"]].to_numpy()[measured], rows.loc[ids[measured], ENDS])
    assert np.allclose(differences.point_table(c)["time_a"].dropna().sort_values(), np.sort(rows["time_median"]))
    if len(file.devices) == 1:  # judge
        unit = diagnosis.Unit(file, 0)
        mine = estimates.finish(unit.of(unit.mine.index))
        there = mine["basis"] != "none"
        shown = there & unit.mine["id"].isin(rows.index)
        assert np.allclose(mine.loc[shown, ["low", "high"]], rows.loc[unit.mine.loc[shown.index[shown], "id"], ENDS])


def test_a_point_alone_has_students_interval_of_its_processes():
    """Computed another way, from the raw samples."""
    file = results.read(ROOT / "analysis/data/h100-judge.h5")
    found = estimates.of_file(file).of(file.rows.index)
    exact = 0
    for row in found.index[found["basis"] == "alone"]:
        one = file.rows.loc[row]
        first = int(one["sample_offset"])
        samples = file.samples.iloc[first:first + int(one["sample_count"])]
        logs = np.log(samples.groupby("process")["seconds"].median())
        half = stats.t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
        student = np.exp([logs.mean() - half, logs.mean() + half])
        exact += np.allclose(one[ENDS].astype(float), student, rtol=1e-7)
        assert one["time_ci_low"] < student[0] * (1 + 1e-7)  # wider, where samples within a process tell less
    assert exact >= 2


def test_a_share_has_the_interval_of_time_and_roof():
    frame = frames.frame(results.read(ROOT / "analysis/data/h100-copy.h5"))
    rows = frame[(frame["status"] == "ok") & frame["roof_rate_low"].notna()]
    down = np.hypot(np.log(rows["time_ci_high"] / rows["time_median"]), np.log(rows["roof_rate_high"] / rows["roof_rate"]))
    assert len(rows) and np.allclose(rows["fraction_peak_low"], rows["fraction_peak"] * np.exp(-down))


def test_no_interval_is_infinite_by_a_band_that_tells_nothing():
    """The canaries of this file have one process each, in a band whose variances have 0.35 degrees of freedom."""
    rows = results.read(ROOT / "analysis/data/h200-mma.h5").rows
    ratio = (rows["time_ci_high"] / rows["time_ci_low"]).dropna()
    assert len(ratio) and ratio.max() < 3
