"""What `table` chooses and prints of shipped files."""

import io
import os
import re
import shutil
import subprocess
import zlib

import h5py
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

import planted

import warpsweep
from warpsweep import kernels, panels, plots, results
from warpsweep import rows as description
from warpsweep.__main__ import main
from warpsweep.frames import frame
from warpsweep.paper.study import Study
from warpsweep.sheet import Document

DATA = ROOT / "analysis/data"


def table(capsys, *words):
    assert main(["table", *map(str, words)]) == 0
    return capsys.readouterr().out


def values(capsys, *words):
    return pd.read_csv(io.StringIO(table(capsys, *words, "-f", "tsv")), sep="\t")


def test_best_point_is_nearest_to_its_roof(capsys):
    """Points of a few rows and of many types are comparable by their share of the roof; zeros, which are faster, are a control."""
    best = values(capsys, DATA / "h100-tensor.h5", "--top", 1)
    every = values(capsys, DATA / "h100-tensor.h5", "-w", "status=ok", "-w", "data=random")
    assert len(best) == 1 and best["fraction_peak"][0] == every["fraction_peak"].max()


def test_a_comma_within_a_word(tmp_path, capsys):
    """Between words a comma means "or"; within one it has a backslash before it, as the error says."""
    path = shutil.copy(DATA / "h100-copy.h5", tmp_path)
    devices = planted.table(path, "devices")
    devices["name"] = b"One, two"
    planted.rewritten(path, devices=devices)
    every = values(capsys, path, "-w", "status=ok", "-c", "id")
    assert len(values(capsys, path, "-w", r"device.name=One\, two", "-w", "status=ok", "-c", "id")) == len(every) > 10
    assert main(["table", str(path), "-w", "device.name=One, two"]) == 2
    assert r"the commas of 'One, two' separate words; write 'One\, two'" in capsys.readouterr().err
    assert len(values(capsys, path, "-w", "variant=load,memcpy", "-c", "id")) > 1


def test_best_points_without_a_roof(capsys):
    """Types of operations are not comparable; each has its best, by the rate that the file measures."""
    path = DATA / "h100-mma.h5"
    best = values(capsys, path, "--top", 1, "-c", "dtype,sparse,flop_rate")
    every = values(capsys, path, "-w", "status=ok", "-c", "dtype,sparse,flop_rate")
    highest = every.groupby(["dtype", "sparse"])["flop_rate"].max()
    assert len(best) > 1
    assert best.set_index(["dtype", "sparse"])["flop_rate"].sort_index().equals(highest.sort_index())
    assert "bandwidth" not in values(capsys, path)


def test_best_of_each_value(capsys):
    best = values(capsys, DATA / "h100-copy.h5", "--top", 2, "--per", "dtype", "-c", "dtype,fraction_peak")
    assert (best["dtype"].value_counts() == 2).all() and best["dtype"].nunique() > 2
    assert best["fraction_peak"].groupby(best["dtype"]).apply(lambda shares: shares.is_monotonic_decreasing).all()


def test_units_are_those_of_the_quantity(capsys):
    said = table(capsys, DATA / "h200-chip.h5", "-k", "atomics", "-w", "result=unused", "-c", "flop_rate", "-f", "text")
    assert "GOP/s" in said and "FLOP/s" not in said
    tensor, columns = DATA / "h200-tensor.h5", ("-w", "status=ok", "-c", "dtype,flop_rate,flops", "-f")
    integers = table(capsys, tensor, "-w", "dtype=u8", *columns, "text")
    assert "TOP/s" in integers and "FLOP" not in integers and re.search(r"\d op\b", integers)
    said = table(capsys, tensor, *columns, "text").splitlines()
    assert all(("TOP/s" in line) == line.startswith("u8") and ("FLOP/s" in line) != line.startswith("u8") for line in said if "OP/s" in line)
    for condition, both in (("m=8192", True), ("dtype=bf16", False)):
        assert main(["pivot", str(tensor), "-k", "tensor_matmul", "-w", condition, *columns, "latex"]) == 0
        assert ("TFLOP/s or TOP/s" in capsys.readouterr().out) == both


def test_units_of_integers_are_those_of_their_type_everywhere(capsys):
    tensor = results.read(DATA / "h200-tensor.h5")
    point = tensor.rows.loc[(tensor.rows["dtype"] == "u8") & (tensor.rows["status"] == "ok"), "id"].iloc[0]
    assert main(["show", point, str(tensor.path)]) == 0
    rates = [line for line in capsys.readouterr().out.splitlines() if re.match(r"  (flop_rate|roof_rate|peak_tensor_i8)", line)]
    assert len(rates) > 5 and all(" TOP/s " in line for line in rates)
    assert main(["report", "--roofs", str(tensor.path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert all(("TOP/s" in line) == ("integer" in line) for line in said if "tensor cores |" in line)
    family = Study([tensor]).by_name["tensor_matmul"]
    assert family.unit == "TFLOP/s or TOP/s" and family.quantity == "flop_rate"
    rows = Study([tensor]).rows
    assert rows.loc[(rows["dtype"] == "u8") & rows[".ok"], ".value"].notna().all()
    rows = frame(DATA / "h200-mma.h5")
    drawing = plots.own(rows, "chains", "flop_rate", ["dtype"], kernel="mma_rate", conditions=["variant=mma"])
    assert panels.build(*drawing, list(rows.attrs["groups"].values())).y[0].label.endswith("(TFLOP/s or TOP/s)")


def test_predicted_rows_are_marked(tmp_path, capsys):
    path = tmp_path / "p.h5"
    assert main(["predict", "--kernel", "copy", "--set", "size=64MiB", "--profile", "h100", "-o", str(path)]) == 0
    said = table(capsys, path, "-c", "time_median,bandwidth", "-f", "text")
    assert said.splitlines()[1].count("‡") == 2 and "‡: predicted by the time model" in said
    assert "‡" not in table(capsys, DATA / "h100-copy.h5", "-n", 3, "-f", "text")


def test_per_needs_top(capsys):
    assert main(["table", str(DATA / "h100-copy.h5"), "--per", "dtype"]) == 2
    assert "--per needs --top" in capsys.readouterr().err


def test_file_says_whose_code_is_the_vendors(program, tmp_path):
    """Of files that do not say it, the families' modules know the words that this release writes."""
    path = tmp_path / "v.h5"
    words = [program, "run", "--kernel", "copy", "--set", "variant=load,memcpy", "--backend", "fake", "-o", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env={**os.environ, "WARPSWEEP_CACHE": str(tmp_path)})
    assert re.search(r"^  copy: [0-9.]+ GB/s \((load|memcpy), id \w{16}\)$", done.stderr, re.M)  # the faster one alone
    known = {word for family in kernels.every().values() for word in family.vendor}
    assert set(warpsweep.read(path).env("vendor").split(",")) == known
    with h5py.File(path, "a") as file:  # of a later release
        environment = file["environment"][()]
        environment["value"][environment["name"] == b"vendor"] = b"load"
        file["environment"][...] = environment
        file["environment"].attrs["crc32"] = np.int64(zlib.crc32(environment.tobytes()))
    rows = frame(path)
    assert description.is_vendor(rows[rows["variant"] == "load"]).all()


@pytest.mark.parametrize("tty, shown", [(True, "_x of <a> | b*"), (False, r"\_x of \<a\> \| b\*")])
def test_a_terminal_shows_no_escapes(tty, shown):
    out = io.StringIO()
    out.isatty = lambda: tty
    document = Document("md", out)
    document.heading(2, "_x of <a> | b*")
    document.items(["_x of <a> | b*"])
    document.texts(["_x of <a> | b*"], [["_x of <a> | b*"]])
    assert out.getvalue().count(shown) == 4 and out.getvalue().count("\\") == (0 if tty else shown.count("\\") * 4)
