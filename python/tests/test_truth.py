"""All that is said and drawn of files, read by `reading.faults`: shipped ones, pairs of products, and files that are unlike them."""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import planted
import pytest
import reading
from reading import ROOT

from warpsweep import directives, gnuplot, plots
from warpsweep.assumptions import scatter_of
from warpsweep.paper import content, saying
from warpsweep.paper.study import Study
from warpsweep.results import read
from warpsweep.verdicts import Scatter

DATA = ROOT / "analysis/data"
DAILY = ("h100-energy h200-energy", "h200-links", "h100-mma")  # one of each kind
ALONE = sorted(path.relative_to(DATA).with_suffix("").as_posix() for path in DATA.rglob("*.h5"))
PAIRS = sorted(f"{one} h200{one[4:]}" for one in ALONE if one.startswith("h100") and f"h200{one[4:]}" in ALONE)


@pytest.fixture(autouse=True)
def tools(program):  # reports ask it for points
    for name in ("gnuplot", "jinja2"):
        if name == "jinja2":
            pytest.importorskip(name)
        elif not shutil.which(name):
            pytest.skip(f"there is no {name}")


@pytest.mark.parametrize("names", [*DAILY, *(pytest.param(one, marks=pytest.mark.weekly) for one in [*ALONE, *PAIRS] if one not in DAILY)])
def test_shipped(names, tmp_path):
    assert reading.faults([DATA / f"{name}.h5" for name in names.split()], tmp_path) == []


def test_profiles_that_differ_are_each_named_and_their_limits_said_once(monkeypatch):
    """The shipped ones tell of the same runs; of devices of which fewer did, each has a sentence."""
    of = {"NVIDIA H100 80GB HBM3": Scatter(unit=(4e-6, 1e-6), runs=12, units=10), "NVIDIA H200": Scatter(unit=(9e-6, 1e-6), runs=5, units=4)}
    paths = [DATA / f"{name}-energy.h5" for name in ("h100", "h200")]

    def limits(scatter_of):
        monkeypatch.setattr(saying, "scatter_of", scatter_of)
        study = Study([read(path) for path in paths])
        (said, *_) = content._limits(study, saying.Say(study, ROOT / "analysis")).findings
        assert not [*reading.faults_of_text("paper limits", said)] and said.count("These standard deviations") == 1
        return said

    apart, alike = limits(of.get), limits(lambda product: of["NVIDIA H200"])
    assert "NVIDIA H100 80GB HBM3 states the" in apart and "0.2 % of times below 100 us and 0.1 % of longer ones. It is pooled over 12 runs on 10 units." in apart
    assert "NVIDIA H200 states the" in apart and "0.3 % of times below 100 us and 0.1 % of longer ones. It is pooled over 5 runs on 4 units." in apart
    assert "profiles of NVIDIA H100 80GB HBM3 and NVIDIA H200 state the" in alike and alike.count("over 5 runs on 4 units") == 1
    shipped = [scatter_of(product) for product in of]
    assert shipped[0] == shipped[1]  # both are of all runs of the job


def follow(text, folder, monkeypatch):
    """Run the commands that a text suggests; at least one is there."""
    monkeypatch.chdir(folder)
    suggested = re.findall(r": (warpsweep (?:table|report|plot|compare|show) .*)", text)
    assert suggested
    for command in suggested:
        done = planted.said(*shlex.split(command)[1:])
        assert done.returncode == 0, (command, done.stderr)


def failing(source, target, rows):
    """A copy of a results file in which some points have failed: they have no times and no samples."""
    old = planted.table(source, "results")
    wide = {"status": "S16", "message": "S64"}  # texts of a file are as long as its longest
    results = old.astype([(name, wide.get(name, old.dtype[name])) for name in old.dtype.names])
    gone = rows(results)
    results["status"][gone], results["message"][gone] = b"failed", b"output 'y': element 3 is 0.5, expected 0.25"
    for name in results.dtype.names:
        if results.dtype[name].kind == "f":
            results[name][gone] = np.nan
    results["sample_count"][gone] = 0
    return planted.rewritten(shutil.copy(source, target), results=results)


@pytest.mark.parametrize("every", [2, 1])
def test_failed(program, tmp_path, monkeypatch, every):
    """Every second point has failed, or all have."""
    path = failing(DATA / "h100-cute.h5", tmp_path / "it failed.h5", lambda t: np.arange(len(t)) % every == 0)
    assert reading.faults([path], tmp_path / "all") == []
    done = subprocess.run([program, "status", path.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    follow(done.stdout, tmp_path, monkeypatch)


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["h100-energy", "h100-links", "h100-mma", "h200-chip"])
def test_one_point_of_a_device(tmp_path, name):
    results = planted.table(DATA / f"{name}.h5", "results")
    path = shutil.copy(DATA / f"{name}.h5", tmp_path / "one.h5")
    assert reading.faults([planted.rewritten(path, results=results[(results["status"] == b"ok") & (results["repeat"] == 0)][:1])], tmp_path / "all") == []


@pytest.mark.parametrize("name", ["h100-cluster", pytest.param("h100-cute", marks=pytest.mark.weekly)])
def test_a_family_that_nobody_knows(tmp_path, name):
    """The same numbers of a kernel of another name, as a stranger's file has them."""
    results = planted.table(DATA / f"{name}.h5", "results")
    results["kernel"] = b"mine"[:results.dtype["kernel"].itemsize]
    path = planted.rewritten(shutil.copy(DATA / f"{name}.h5", tmp_path / "mine.h5"), results=results)
    assert reading.faults([path], tmp_path / "all") == []


def test_what_errors_suggest_works(program, tmp_path, monkeypatch):
    """Files of two products are compared, not merged; the id comes before the file."""
    one, other = (shutil.copy(DATA / f"{name}-energy.h5", tmp_path / f"of {name}.h5") for name in ("h100", "h200"))
    done = subprocess.run([program, "merge", one.name, other.name, "-o", "x.h5"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    follow(done.stderr, tmp_path, monkeypatch)
    point = planted.table(one, "results")["id"][0].decode()
    said = planted.said("show", one.name, point)
    assert said.returncode == 2
    follow(said.stderr, tmp_path, monkeypatch)


def test_a_family_of_the_user_has_a_figure(program, tmp_path, monkeypatch):
    """The example in Python beside families of ours, run on a host without a GPU: the reference runs on the CPU, and nothing is counted."""
    job = tmp_path / "host.yaml"
    job.write_text("timing: {max_time: 5ms, min_samples: 3, replicates: 1, cache: hot}\nsweeps:\n"
                   "  - kernel: softmax\n    axes: {columns: [64, 256, 1024], rows: 64}\n"
                   "  - kernel: copy\n    axes: {variant: [load, store], size: 64KiB, stride: [1, 2, 4], dtype: f32}\n"
                   "  - kernel: reduce\n    axes: {size: [16KiB, 64KiB, 256KiB]}\n")
    done = subprocess.run([program, "run", job, "--kernels", ROOT / "examples/python", "-o", "mine.h5", "--backend", "host"], cwd=tmp_path,
                          check=True, capture_output=True, text=True, env={**os.environ, "WARPSWEEP_PYTHON": sys.executable})
    follow(done.stderr, tmp_path, monkeypatch)
    assert list((tmp_path / "figures").glob("softmax_*.pdf"))
    assert reading.faults([tmp_path / "mine.h5"], tmp_path / "all") == []


@pytest.mark.parametrize("picture", sorted((ROOT / "docs/figures").glob("*.svg")), ids=lambda path: path.stem)
def test_pictures_of_pages_are_accepted(picture):
    assert "scale(0.00)" not in picture.read_text("utf-8")


@pytest.mark.parametrize("name", ["h100-mma", pytest.param("h100-cute", marks=pytest.mark.weekly)])
def test_a_shipped_family_without_a_figure_of_its_own_gets_one(name, tmp_path):
    assert planted.said("plot", DATA / f"{name}.h5", "-o", tmp_path, "-f", "svg").returncode == 0 and list(tmp_path.glob("*.svg"))


def test_one_point(program, tmp_path, monkeypatch):
    job = tmp_path / "one.yaml"
    job.write_text("timing: {max_time: 5ms, min_samples: 3, replicates: 1, cache: hot}\nsweeps:\n"
                   "  - kernel: copy\n    axes: {variant: load, size: 64KiB}\n")
    done = subprocess.run([program, "run", job, "-o", "one.h5", "--backend", "host"], cwd=tmp_path, check=True, capture_output=True, text=True)
    follow(done.stderr, tmp_path, monkeypatch)
    assert reading.faults([tmp_path / "one.h5"], tmp_path / "all") == []


@pytest.mark.parametrize("beside", [(), pytest.param(("h100-copy",), marks=pytest.mark.weekly)])
def test_predicted(program, tmp_path, beside):
    subprocess.run([program, "predict", ROOT / "jobs/pair_7_1.yaml", "--profile", "b200", "-o", tmp_path / "b200.h5"],
                   check=True, capture_output=True)
    assert reading.faults([*(DATA / f"{name}.h5" for name in beside), tmp_path / "b200.h5"], tmp_path / "all") == []


def test_a_counter_that_a_job_names_by_its_metric_is_drawn_beside_its_column():
    """Of the two files one has dram__bytes_read.sum, and the other dram_bytes_read."""
    rows = plots.read_rows([DATA / "h100-l2-window.h5", DATA / "h200-chip.h5"])
    (d,) = directives.read_folder(reading.ANALYSIS, ["l2_window"])
    figure = plots.Request(rows).make(d)[0]
    assert {curve.source for curve in figure.curves} == set(rows.attrs["groups"]) and len(rows.attrs["groups"]) == 2
    lacking = rows.assign(dram_bytes_read=rows["dram_bytes_read"].mask(rows[".source"].str.contains("H200")))
    lacking.attrs = rows.attrs
    figure = plots.Request(lacking).make(d)[0]
    assert "No such points of H200" in figure.caption and "coincide" not in figure.caption


# ---- That it can fail ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, fault", [
    ("The interval is nan to nan.", "nan"), ("It takes 3 us, tensor\\_matmul 4.", "markup"), ("A sentence is here.\nA sentence is here.", "twice"),
    ("Copies reach 106.2 ± 0.3 % of the roof.", "without the word"), ("1 points were compared.", "0 of something"),
    ("| kernel | of roof |\n|---|---|\n| copy | 106.2 % |", "without the word")])
def test_texts_can_be_wrong(text, fault):
    assert any(fault in one for one in reading.faults_of_text("report", text))


def test_units_can_be_wrong():
    rows = plots.read_rows([DATA / "h100-mma.h5"])
    good = "- mma_rate bf16 off: best of 31 points is wgmma (bf16) at 943 ± 26 TFLOP/s."
    assert not list(reading.faults_of_quantities(good, rows))
    assert list(reading.faults_of_quantities(good.replace("TFLOP/s", "GB/s"), rows))
    (one,) = reading.figures(rows)[:1]
    assert not list(reading.faults_of_units("x", one.figure))
    one.figure.y[0].label = "Rate (GB/s)"
    assert list(reading.faults_of_units("x", one.figure))


def test_lines_can_be_too_long():
    assert list(reading.faults_of_text("compare", "word " * 30)) and not list(reading.faults_of_text("compare", "word " * 20))


def test_good_texts():
    assert list(reading.faults_of_text("report", "Copies reach 106.2 % of the roof (1 of them above 100 %). The info is in `inf_table`.")) == []


def test_pictures_can_be_wrong(tmp_path):
    rows = plots.read_rows([DATA / "h100-l2-window.h5"])
    (one,) = [drawing for drawing in reading.figures(rows) if drawing.figure.name == "l2_window"]
    (picture,) = gnuplot.draw([one], Path(tmp_path))
    assert list(reading.faults_of_drawing(one, picture)) == []
    curve = one.figure.curves[0]
    curve.points["y"] += 1000
    picture.write_text(picture.read_text().replace("<use ", "<use transform='scale(0.00)' ", 1))
    found = " ".join(reading.faults_of_drawing(one, picture))
    assert f"no point of curve {curve.name}" in found and "size 0" in found
    one.figure.y[0].low = 1.0
    assert "starts at 1" in " ".join(reading.faults_of_drawing(one, picture))
