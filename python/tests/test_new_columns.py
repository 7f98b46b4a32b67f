"""A file of a later release has columns that this one does not know and that are no axes: all that is shown of it is the same, byte for byte."""
import re
import shutil
import subprocess

import numpy as np
import pytest
from conftest import ROOT
from planted import rewritten, said, table

NEW = (("retries_new", "<i8", b"sampling"), ("power_state", "S2", b"environment"), ("tag", "<i8", b"other"))


@pytest.fixture(scope="module")
def folders(make_results, tmp_path_factory):
    """Two folders with files of the same names: without the columns, and with whole numbers and words that differ from row to row."""
    before, after = (tmp_path_factory.mktemp(name) for name in ("before", "after"))
    subprocess.run([make_results, before / "s.h5"], check=True)
    shutil.copy(ROOT / "analysis/data/h200-copy.h5", before / "copy.h5")
    for path in before.iterdir():
        old, columns = table(path, "results"), table(path, "columns")
        rows = np.zeros(len(old), [*((name, old.dtype[name]) for name in old.dtype.names), *((name, kind) for name, kind, _ in NEW)])
        for name in old.dtype.names:
            rows[name] = old[name]
        number = np.arange(len(old))
        rows["retries_new"], rows["power_state"], rows["tag"] = number % 5, np.where(number % 2, b"P0", b"P1"), number
        more = np.zeros(len(NEW), columns.dtype)
        more["table"], more["name"], more["role"], more["meaning"] = b"results", *zip(*((name, role) for name, _, role in NEW)), b"measured"
        rewritten(shutil.copy(path, after), results=rows, columns=np.concatenate([columns, more]))
    return before, after


@pytest.mark.parametrize("words", ["table s.h5", "table copy.h5", "report copy.h5 --model", "report copy.h5", "compare s.h5 s.h5 --points -f tsv"])
def test_readers_show_the_same(folders, words, monkeypatch):
    shown = []
    for folder in folders:
        monkeypatch.chdir(folder)
        shown.append(said(*words.split()))
    assert shown[0] == shown[1] and shown[0].stdout and shown[0].returncode < 2


@pytest.mark.parametrize("name", ["s.h5", "copy.h5"])
def test_status_shows_the_same(folders, program, name):
    shown = [subprocess.run([program, "status", name], cwd=folder, capture_output=True).stdout for folder in folders]
    assert shown[0] == shown[1] != b""


def test_points_find_their_own(folders):
    before, after = (folder / "copy.h5" for folder in folders)
    assert len(set(said("table", after, "-c", "tag,retries_new,power_state").stdout.splitlines())) > 100
    compared = said("compare", before, after, "--points", "-f", "tsv").stdout
    assert compared.count("\n") > 100 and "only in" not in compared


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="there is no gnuplot")
def test_figures_are_the_same(folders, monkeypatch):
    drawn = []
    for folder in folders:
        monkeypatch.chdir(folder)
        done = said("plot", "copy.h5", "-o", "copy", "--data", "-f", "svg", "--figure", "copy_stride", "--figure", "copy_size")
        drawn.append([done, *((path.name, path.read_bytes()) for path in sorted((folder / "copy").iterdir()) if path.suffix in (".tsv", ".svg"))])
    assert drawn[0] == drawn[1] and len(drawn[0]) >= 5


def test_every_role_is_in_the_documentation():
    roles = re.findall(r'^ *X\([A-Z]*, "([a-z]*)"', (ROOT / "src/core/column.h").read_text("utf-8"), re.M)
    page = (ROOT / "docs/results-file.md").read_text("utf-8")
    assert len(roles) >= 12 and [role for role in roles if f"\n| `{role}` |" not in page] == []
