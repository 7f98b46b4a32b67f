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
from warpsweep import kernels
from warpsweep import rows as description
from warpsweep.__main__ import main
from warpsweep.frames import frame

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
    assert "Gop/s" in said and "FLOP/s" not in said


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
    assert re.search(r"^  copy: [0-9.]+ GB/s \(load, id \w{16}\); vendor [0-9.]+ GB/s \(memcpy, id \w{16}\)$", done.stderr, re.M)
    known = {word for family in kernels.every().values() for word in family.vendor}
    assert set(warpsweep.read(path).env("vendor").split(",")) == known
    with h5py.File(path, "a") as file:  # of a later release
        environment = file["environment"][()]
        environment["value"][environment["name"] == b"vendor"] = b"load"
        file["environment"][...] = environment
        file["environment"].attrs["crc32"] = np.int64(zlib.crc32(environment.tobytes()))
    rows = frame(path)
    assert description.is_vendor(rows[rows["variant"] == "load"]).all()
