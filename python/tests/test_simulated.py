"""compare on runs whose true times are known: every process, point and sample of a shipped file deviates by what is drawn here."""
import shutil

import h5py
import numpy as np
import pytest
from planted import rewritten, said, table

import warpsweep

pytestmark = pytest.mark.weekly


@pytest.fixture
def drawn(copies, tmp_path):
    """drawn(stem, seed, ...): a file of 240 points and more. Standard deviations of a process, of a process at a point, of a sample."""
    def draw(stem, seed, factor=1.0, common=0.003, own=0.003, noise=0.005, processes=3, **facts):
        random, rows, samples = np.random.default_rng(seed), table(copies[0], "results"), table(copies[0], "samples")
        rows = rows[(rows["status"] == b"ok") & (rows["repeat"] == 0)]
        of_process = common * random.standard_normal(3)
        for row in rows:
            its = samples[row["sample_offset"]:row["sample_offset"] + row["sample_count"]]
            deviation = (of_process + own * random.standard_normal(3))[its["process"]] + noise * random.standard_normal(len(its))
            its["seconds"] = factor * row["time_median"] * np.exp(deviation)
            if processes == 1:
                its["process"] = 0
        tables = {"results": rows, "samples": samples, "devices": table(copies[0], "devices")}
        for what, value in facts.items():
            of = "results" if what in rows.dtype.names else "devices"
            tables[of][what] = value
        path = rewritten(shutil.copy(copies[0], tmp_path / f"{stem}.h5"), **tables)
        with h5py.File(path, "r+") as file:
            file.attrs["lineage"] = np.bytes_(f"{seed:016x}")
        return path
    return draw


def share(verdict, *files, **options):
    return (warpsweep.compare(*files, **options)["verdict"] == verdict).mean()


def test_the_same_twice_is_the_same(drawn):
    for seed in (1, 2):
        found = warpsweep.compare(drawn("a", seed, common=0.005), drawn("b", seed + 100, common=0.005), threshold=0.05)["verdict"]
        assert len(found) > 240 and (found == "same").mean() >= 0.99 and not found.isin(["faster", "slower"]).any()


def test_what_takes_longer_is_slower(drawn):
    one, plus5 = drawn("one", 1), drawn("plus5", 3, 1.05)
    assert share("slower", one, plus5) >= 0.95 and share("faster", plus5, one) >= 0.95
    assert share("slower", one, plus5, threshold=0.08) == 0
    exact, plus2 = drawn("exact", 5, common=0.001, own=0.001), drawn("plus2", 4, 1.02, common=0.001, own=0.001)
    assert share("slower", exact, plus2) >= 0.87
    family = warpsweep.families(one, plus5).iloc[0]
    assert family["verdict"] == "slower" and family["ratio_low"] < 1.05 < family["ratio_high"]
    for threshold, code in (("2%", 1), ("10%", 0)):
        assert said("compare", one, plus5, "--fail-above", threshold).returncode == code


def test_what_is_assumed_is_said(drawn):
    one, two, single = drawn("one", 1), drawn("two", 2), drawn("single", 6, processes=1)
    other, other_single = drawn("other", 7, name=b"Another"), drawn("other_single", 8, name=b"Another", processes=1)
    for a, b, text in ((one, two, "One device product: equal variances are assumed"),
                       (one, single, "Its processes are assumed to differ as much as those of A."),
                       (single, one, "A: one process measured "), (single, drawn("again", 9, processes=1), "Both files: one process measured "),
                       (one, other, "Different device products: equal variances are not assumed"),
                       (one, other_single, "those of A, though the device is of another product")):
        assert any(text in line for line in warpsweep.compare(a, b).attrs["assumed"]), text


def test_the_shift_of_a_process_is_no_verdict(drawn):
    wide, shifted = drawn("wide", 20, common=0.02), drawn("shifted", 19, common=0.02, processes=1)
    assert not warpsweep.compare(wide, shifted)["verdict"].isin(["faster", "slower"]).any()


def test_runs_that_do_not_differ_have_no_history(drawn):
    done = said("history", *(drawn(f"run{seed}", seed) for seed in range(30, 36)))
    assert done.returncode == 0 and "0 changes at 0 of " in done.stdout


def test_what_does_not_mean_the_same_is_refused(drawn, oldest):
    one = drawn("one", 1)
    for other, text in ((drawn("timed", 11, timer=b"clock"), "different timers at "), (drawn("host", 12, backend=b"host"), "different back ends at "),
                        (oldest, "(clean against cold)")):
        with pytest.raises(warpsweep.UsageError) as refused:
            warpsweep.compare(one, other)
        assert text in str(refused.value)
    assert any("Mixed: different " in line for line in warpsweep.compare(one, drawn("timed", 11, timer=b"clock"), mixed=True).attrs["assumed"])


def test_a_file_of_release_0_1(oldest):
    """Beside itself: of one process for each point, which gives no verdict."""
    found = warpsweep.compare(oldest, oldest)
    assert any("release 0.1 did not record processes" in line for line in found.attrs["assumed"])
    assert found["verdict"].isin(["uncertain", "not measured"]).all() and (found["verdict"] == "uncertain").sum() >= 15
    assert (found["ratio"].dropna() == 1).all()


def test_shares_over_a_roof_are_told_apart(copies, tmp_path):
    """Of rows over 100 %: those whose interval of time and roof holds 1, and those above. Here all roofs are lower, and one range is wide."""
    for words, high in (("within the interval of time and roof", 1e6), ("truly above", 1)):
        devices = table(copies[0], "devices")
        for name in (name for name in devices.dtype.names if name.startswith("peak_") and name + "_high" in devices.dtype.names):
            devices[name + "_high"], devices[name + "_low"] = devices[name] * 1e-3 * high, devices[name] * 1e-3
            devices[name] *= 1e-3
        text = said("report", rewritten(shutil.copy(copies[0], tmp_path / f"{high:g}.h5"), devices=devices), "--roofs").stdout
        count = int(text.split(" points with a share")[0].split()[-1])
        assert count > 400 and f"{count} over 100 % ({count} {words})" in text
