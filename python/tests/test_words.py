"""Words of axes: in order, and known also where no point has them. A file names its own; earlier files have a list of this release."""
import shutil
import subprocess

import numpy as np
import pytest

from conftest import ROOT, SHIPPED
from planted import rewritten, table

from warpsweep import frames, results, selecting
from warpsweep.__main__ import main
from warpsweep.columns import is_text
from warpsweep.kernels import words as axis_words

COPY = ROOT / "analysis/data/h100-copy.h5"


@pytest.mark.parametrize("path", SHIPPED)
def test_the_words_of_earlier_files_are_known(path):
    """Later files name their own: a family of the tree may have words that the list has not, as a user's has."""
    found = results.read(path)
    rows = found.rows[[(ROOT / "kernels" / kernel).is_dir() for kernel in found.rows["kernel"]]]
    for name in found.columns.axes():
        if name != "arch" and name in rows and is_text(rows[name]):
            assert {*rows[name]} - {""} <= {*found.columns[name].words}, name


@pytest.mark.parametrize("words", ["hint=no_allocate", "dtype=e2m1", "variant=bulk"])
def test_a_word_that_no_point_has_is_known(words, program, capsys):
    """pivot and table agree."""
    assert main(["pivot", str(COPY), "-w", words]) == 0
    assert "no row" in capsys.readouterr().err
    assert subprocess.run([program, "table", COPY, "-k", "copy", "-w", words], capture_output=True).returncode == 0


def test_an_unknown_word_names_the_nearest_of_all(capsys):
    assert main(["pivot", str(COPY), "-w", "hint=no_alocate"]) == 2
    assert "did you mean 'no_allocate'?" in capsys.readouterr().err


def test_a_file_names_its_own_words_in_order(tmp_path):
    environment = table(COPY, "environment")
    wide = np.dtype([(name, f"S{max(200, kind.itemsize)}" if kind.kind == "S" else kind)
                     for name, (kind, *_) in environment.dtype.fields.items()])
    more = np.zeros(2, wide)
    more["run"], more["name"], more["value"] = 1, [b"words.copy.dtype", b"words.mine.dtype"], [b"f64,f32,mine", b"f64,bf16,f32"]
    made = rewritten(shutil.copy(COPY, tmp_path / "own.h5"), environment=np.concatenate([environment.astype(wide), more]))
    rows = frames.frame(results.read(made))
    assert rows.attrs["columns"]["dtype"].words == ("f64", "bf16", "f32", "mine")
    assert list(dict.fromkeys(selecting.sort(rows, ["dtype"])["dtype"]))[:3] == ["f64", "bf16", "f32"]
    assert len(selecting.where(rows, "dtype=mine")) == 0


def test_merging_keeps_the_order_of_each_family():
    known = ["a", "c"]
    axis_words.merge(known, ["a", "b", "c", "d"])
    assert known == ["a", "b", "c", "d"]


def test_a_run_writes_the_words_of_its_families(program, tmp_path):
    made = tmp_path / "run.h5"
    subprocess.run([program, "run", "--kernel", "copy", "--set", "size=64KiB", "-o", made, "--backend", "fake"], check=True, capture_output=True)
    environment = results.read(made).environment
    told = dict(zip(environment["name"], environment["value"]))
    assert told["words.copy.hint"] == "default,stream,no_allocate,evict_first,evict_last,fetch_64,fetch_128,fetch_256"
    assert "words.copy.size" not in told and "words.matmul.variant" not in told
