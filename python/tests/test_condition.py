"""The SM clock of a point is that of the samples that made its time, and the dagger follows from it: checked on shipped files, whose
rows have the clock of the longest process, and NVML's reasons from one look a group."""
import copy
import re
import subprocess

import h5py
import numpy as np
import pytest
from conftest import ROOT

from warpsweep import condition, frames, rates, rows, selecting
from warpsweep.__main__ import main
from warpsweep.columns import reals, texts
from warpsweep.results import read

DATA = ROOT / "analysis/data"


def by_hand(results, row):
    """The clock of a row: the median of each process, their geometric mean."""
    begin, count = (int(row[name]) for name in ("sample_offset", "sample_count"))
    samples = results.samples.iloc[begin : begin + count]
    return np.exp(np.mean([np.log(np.median(of["sm_clock"])) for _, of in samples.groupby("process")]))


@pytest.mark.parametrize("name, lowered, unseen", [("h100-tensor", 87, 27), ("h200-tensor", 81, 0), ("h100-mma", 152, 50), ("h100-copy", 0, 0)])
def test_the_clock_is_that_of_the_samples(name, lowered, unseen):
    results = read(DATA / f"{name}.h5")
    own = results.rows[(results.rows["status"] == "ok") & (results.rows["repeat"] == 0)]
    for _, row in own.iloc[:: max(1, len(own) // 12)].iterrows():
        assert row["sm_clock"] == pytest.approx(by_hand(results, row), rel=1e-9)
        assert row["clock_share"] == pytest.approx(row["sm_clock"] / results.devices.loc[row["device"], "clock_max"], rel=1e-9)
    assert condition.is_lowered(own).sum() == lowered == own["clock_share"].lt(0.98).sum()
    assert (f"no reason seen at {unseen})" in condition.lowered(own)) == (unseen > 0)


@pytest.mark.parametrize("name, many", [("h100-tensor", True), ("h100-mma", True), ("h100-copy", False), ("h200-sustained", False), ("h200-heat", False)])
def test_clocks_that_fall_while_points_are_sampled_are_said(name, many, capsys):
    """Files of before settled clocks have them; a transient falls on purpose. The words are derived from the samples."""
    file = read(DATA / f"{name}.h5")
    said = condition.unsettled(selecting.points(frames.frame(file)))
    ok = file.rows[(file.rows["status"] == "ok") & (file.rows["repeat"] <= 0)]
    falling = 0
    for _, row in ok.iterrows():
        begin, count = (int(row[of]) for of in ("sample_offset", "sample_count"))
        parts = [of["sm_clock"].to_numpy() for _, of in file.samples.iloc[begin : begin + count].groupby(["device", "process"], dropna=False)]
        parts = [part for part in parts if len(part) >= 8]
        falling += any(1 - np.median(part[-(len(part) // 4) :]) / np.median(part[: len(part) // 4]) > 0.01 for part in parts)
    assert (f"while {falling} points were sampled" in said) == many and bool(said) == many and (falling > 20) == many
    if many:
        assert main(["report", "--findings", str(file.path)]) == 0
        assert said in capsys.readouterr().out


def test_the_program_and_readers_call_the_same_clock_lowered():
    header = (ROOT / "src/core/device.h").read_text(encoding="utf-8")
    assert float(re.search(r"#define CLOCK_LOWERED (\S+)", header)[1]) == condition.STEADY


def test_rows_of_older_files_have_the_clock_of_the_longest_process():
    """Which made wgmma 10 % worse per clock than cuBLASLt: it is not used."""
    name = "h100-tensor"
    with h5py.File(DATA / f"{name}.h5") as file:
        first = file["results"][:][file["results"]["repeat"] == 0]
    stored = dict(zip(first["id"].astype(str), first["sm_clock"]))
    own = read(DATA / f"{name}.h5").rows.query("status == 'ok' and repeat == 0")
    off = (own["id"].map(stored) / own["sm_clock"] - 1).abs()
    assert (off > 0.03).sum() > 40 and off.max() > 0.1


def test_the_dagger_follows_from_the_samples():
    """One point's samples at another clock: the clock decides, not the reason; the reason only where no clock is known."""
    file = copy.copy(read(DATA / "h100-copy.h5"))
    row = file.rows.index[file.rows["status"] == "ok"][0]
    begin, count = (int(file.rows.loc[row, name]) for name in ("sample_offset", "sample_count"))

    def daggers(clock, mask):
        of, taken = file.rows.copy(), file.samples.copy()
        of.loc[row, ["throttle_mask", "sm_clock"]] = mask, np.nan
        taken.loc[begin : begin + count - 1, "sm_clock"] = clock
        one = copy.copy(file)
        one.rows, one.samples, one.cells, one.estimator = of, taken, None, None
        frame = frames.frame(file).assign(**condition.clocks(one), throttle_mask=of["throttle_mask"])
        return set(frame.index[rows.marks(frame).str.contains(rows.DAGGER)]), condition.lowered(frame)

    highest = file.devices.loc[file.rows.loc[row, "device"], "clock_max"]
    assert daggers(0.97 * highest, 0) == ({row}, f"{condition.LOWERED} (no reason seen at 1)")
    assert daggers(0.97 * highest, 0x24) == ({row}, f"{condition.LOWERED} (the power limit at 1)")
    assert daggers(0.97 * highest, 0x40) == ({row}, f"{condition.LOWERED} (heat at 1)")
    assert daggers(0.985 * highest, 4) == (set(), condition.LOWERED)
    assert daggers(np.nan, 4)[0] == {row} and daggers(np.nan, 1)[0] == set()
    assert {"sm_clock", "clock_share"} <= set(rates.DERIVED)


# ---- Sustained and boost: the back end that measures nothing has a clock that falls by a fifth under load ------------------

JOB = "timing: {min_samples: 10, max_samples: 20, max_time: 100ms, replicates: 3, clock: %s}\nsweeps: [{kernel: copy, axes: {size: [64KiB, 1MiB], vector: [1, 4]}}]\n"


@pytest.fixture
def warm(program, tmp_path, monkeypatch):
    """Runs a job on that device, and gives its rows with ``medians`` of processes over the time at the highest clock."""

    def run(clock, *words, heat=0.2):
        monkeypatch.setenv("WARPSWEEP_FAKE", f"heat={heat}")
        (tmp_path / "job.yaml").write_text(JOB % clock)
        path = tmp_path / f"{clock}{len(words)}.h5"
        done = subprocess.run([program, "run", "job.yaml", "-o", path, "--backend", "fake", *words], cwd=tmp_path, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stderr
        results = read(path)
        rows = results.rows[results.rows["repeat"] == 0]
        found = []
        for _, row in rows.iterrows():
            begin, count = (int(row[name]) for name in ("sample_offset", "sample_count"))
            one = results.samples.iloc[begin : begin + count].groupby("process")["seconds"].median()
            found.append((one / (1e-6 * (1 + int(row["id"], 16) % 1000))).tolist())
        return rows.assign(medians=found)

    return run


def test_a_sustained_clock_does_not_depend_on_order(warm):
    """All processes of all points, in two orders, have the clock that a lasting load leaves."""
    for words in ((), ("--only", "vector=4")):
        of = warm("sustained", *words)
        assert np.abs(0.8 * np.stack(of["medians"]) - 1).max() < 0.01
        assert of["clock_share"].between(0.797, 0.805).all() and (reals(of, "seconds_settle") >= 0.2).all()
        assert condition.lowered(of).endswith(f"(the power limit at {len(of)})")
        assert (texts(of, "throttle") == "sw_power_cap").all() and (texts(of, "message") == "").all()


def test_a_boost_clock_is_that_of_a_cool_device(warm):
    of = warm("boost")
    assert np.abs(0.9 * np.stack(of["medians"]) - 1).max() < 0.02 and reals(of, "seconds_settle").isna().all()


def test_a_clock_of_any_kind_is_left_alone(warm):
    """Processes come from different loads, and the first samples are at a higher clock than the last."""
    of = warm("any")
    assert (0.8 * np.stack(of["medians"])).min() < 0.99 and reals(of, "seconds_settle").isna().all()


def test_a_clock_that_is_not_lowered_needs_no_load(warm):
    of = warm("sustained", heat=0.01)
    assert reals(of, "seconds_settle").isna().all() and not condition.is_lowered(of).any()


def test_pairs_settle_together(warm):
    of = warm("sustained", "--pair", "vector=1,4")
    assert (texts(of, "paired_with") != "").all() and np.abs(0.8 * np.stack(of["medians"]) - 1).max() < 0.01


def test_a_transient_has_the_time_and_power_of_each_sample(program, tmp_path, monkeypatch):
    """Samples from the first launch on, on a device that falls from 0.9 to 0.8 of its clock; other clocks have no such columns."""
    monkeypatch.setenv("WARPSWEEP_FAKE", "heat=0.2")
    (tmp_path / "job.yaml").write_text(JOB.replace("max_samples: 20", "max_samples: 400").replace("[64KiB, 1MiB]", "1MiB") % "transient")
    path = tmp_path / "transient.h5"
    done = subprocess.run([program, "run", "job.yaml", "-o", path, "--backend", "fake", "--set", "timing.replicates=1", "--set", "timing.max_time=30s"], cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    results = read(path)
    for _, row in results.rows[results.rows["repeat"] == 0].iterrows():
        begin, count = (int(row[name]) for name in ("sample_offset", "sample_count"))
        own = results.samples.iloc[begin : begin + count]
        assert count == 400 and row["stop"] == "max_samples" and np.isnan(row["seconds_settle"])
        assert (own["since"].diff().dropna() > 0).all() and own["since"].iloc[0] > 0 and np.allclose(own["power"], 700)
        assert own["sm_clock"].iloc[0] > 0.88 * 2e9 and own["sm_clock"].iloc[-1] == pytest.approx(0.8 * 2e9, rel=0.01)
