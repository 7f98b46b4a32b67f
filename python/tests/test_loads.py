"""Loads from the first launch on, their power and energy; what runs and units add by kind of point; the states of a cold L2."""
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from planted import rewritten, table

from warpsweep import differences, frames, profiles, verdicts
from warpsweep.__main__ import main
from warpsweep.derived import families, transients
from warpsweep.directives import Skipped, read_folder
from warpsweep.plots import Request
from warpsweep.reports import bounds
from warpsweep.results import read

JOB = """
timing: {min_samples: 5, max_samples: 300, max_time: 100ms, replicates: 1, clock: transient}
sweeps: [{kernel: copy, axes: {size: 1MiB, vector: [1, 4]}}]
"""


def figure_of(name, rows):
    (d,) = read_folder(ROOT / "analysis", [name])
    return Request(rows).make(d)[0]


@pytest.fixture(scope="module")
def heated(program, tmp_path_factory):
    """A file of two loads whose clock falls by 15 % within a second, as power rises from 300 to 700 W."""
    folder = tmp_path_factory.mktemp("heat")
    (folder / "job.yaml").write_text(JOB)
    done = subprocess.run([program, "run", "job.yaml", "-o", "heat.h5", "--backend", "fake"], cwd=folder, capture_output=True, text=True, timeout=200,
                          env={"WARPSWEEP_FAKE": "heat=0.2", "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    results, samples = table(folder / "heat.h5", "results"), table(folder / "heat.h5", "samples")
    for row in results:
        own = slice(row["sample_offset"], row["sample_offset"] + row["sample_count"])
        since = np.geomspace(0.01, 10, row["sample_count"])
        samples["since"][own], samples["power"][own] = since, 700 - 400 * np.exp(-since / 0.2)
        samples["sm_clock"][own], samples["seconds"][own] = (base * (1 - 0.15 * (1 - np.exp(-since / 0.3))) ** sign for base, sign in ((2e9, 1), (1e-3, -1)))
    return rewritten(folder / "heat.h5", results=results, samples=samples)


def test_transients_are_means_over_time(heated):
    made = transients.transients(frames.frame(heated))
    for name, first, last in zip(transients.QUANTITIES, (99, 1960, 321), (85, 1700, 700)):
        for _, own in made[made["quantity"] == name].groupby("point"):
            assert own["since"].is_monotonic_increasing and 20 < len(own) <= transients.BINS
            assert own["value"].iloc[0] == pytest.approx(first, rel=0.03) and own["value"].iloc[-1] == pytest.approx(last, rel=0.01)
    assert made["point"].nunique() == 2 and made.attrs["remark"] == "At the end rates are 86 to 86 % of the first 20 ms"
    with pytest.raises(Skipped, match="clock: transient"):
        transients.transients(frames.frame(ROOT / "analysis/data/h200-energy.h5"))


def test_no_prediction_is_held_against_a_transient(tmp_path):
    """Its medians are of no state, and the time model knows the settled one."""
    path = ROOT / "analysis/data/h200-heat.h5"
    rows = frames.frame(path)
    assert (rows["predicted_time"] > 0).any() and rows["headroom"].isna().all()
    assert not len(bounds.verdicts(rows))
    with pytest.raises(Skipped, match="no point has a predicted time"):
        families.predicted(rows)
    found = profiles.of_results(read(path), 0)
    assert not any(value.measured for name, value in found.values.items() if name.startswith("library"))
    job, guess = tmp_path / "job.yaml", tmp_path / "p.h5"
    job.write_text(read(path).job)
    assert main(["predict", str(job), "--profile", "h200", "-o", str(guess)]) == 0
    c = differences.prepare(read(path), read(guess))
    assert c.b["predicted"].any() and c.a["basis"].eq("none").all()


def test_the_figure_of_heat_is_drawn(heated):
    """Each panel's own axis names quantity and unit."""
    figure = figure_of("heat", frames.frame(heated))
    assert [figure.y[panel.block].label for panel in figure.panels] == ["SM clock (MHz)", "Board power (W)", "Rate (% of the first)"]


def test_power_and_energy_of_a_load_are_of_its_samples(heated):
    rows = read(heated).rows
    one = rows.iloc[0]
    own = read(heated).samples.iloc[int(one["sample_offset"]) :][: int(one["sample_count"])]
    assert one["load_power"] == pytest.approx(np.median(own["power"])) and one["load_energy"] == pytest.approx(one["load_power"] * one["time_median"])
    assert read(ROOT / "analysis/data/h200-energy.h5").rows["load_power"].isna().all()


def test_units_add_more_to_latencies():
    scatter = verdicts.Scatter(unit=(1e-6, 1e-6), run_dof=5, unit_dof=7)
    e = pd.DataFrame({"seconds": 1e-5, "basis": "pooled", "between": 0.0, "between_dof": np.inf, "part": ["latency of L2", "latency of DRAM", "DRAM", "L2"]})
    sd = verdicts.widen(scatter, True, e)["between"] ** 0.5
    (_, of_l2), (_, of_dram), (run, _) = (verdicts.OF_PARTS[part] for part in ("latency of L2", "latency of DRAM", "DRAM"))
    assert sd.tolist() == pytest.approx([of_l2, of_dram, np.hypot(run, 1e-3), 1e-3]) and of_l2 > of_dram > 1e-3
    assert (verdicts.widen(scatter, False, e)["between"] ** 0.5).tolist() == pytest.approx([0, 0, 3e-4, 0])
    assert (verdicts.widen(scatter, True, e.drop(columns="part"))["between"] ** 0.5).tolist() == pytest.approx([1e-3] * 4)


def test_a_caption_says_where_a_cold_l2_changes():
    rows = frames.frame(ROOT / "analysis/data/h200-paper.h5", predicted=False)
    assert "A cold L2 is in two states: from 4GiB on launches are single" in figure_of("reduce_size", rows).caption
    assert "A cold L2" not in figure_of("shared_stride_ladder", rows).caption
