"""The measured files of the tree: every command reads them, and they name no folder of those who measured them."""
import re

import h5py
import pytest

from conftest import ROOT

from warpsweep.__main__ import main
from warpsweep.results import read

DATA = ROOT / "analysis/data"
FILES = sorted(DATA.rglob("*.h5")) + sorted(ROOT.glob("tests/*.h5"))
REPORTS = ("", "--findings", "--model", "--bounds", "--roofs", "--time")

PATH = re.compile(r"(?<![\w./:-])/(?!usr/|opt/)[A-Za-z_][\w.+-]*/[\w./+-]*")


def paths(file):
    """Absolute paths in the attributes of all objects, and in the rows of /environment and /job."""
    texts = [str(value) for value in file.attrs.values()]
    file.visititems(lambda name, item: texts.extend(str(value) for value in item.attrs.values()))
    for name in ("environment", "job"):
        texts += map(str, file[name][()].reshape(-1)) if name in file else []
    return [found for text in texts for found in PATH.findall(text)]


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.h5")))
def test_no_path_outside_the_project(name):
    with h5py.File(DATA / name) as file:
        assert paths(file) == []


def test_paths_are_found(tmp_path):
    with h5py.File(tmp_path / "made-up.h5", "w") as file:
        file.attrs["job"] = "jobs/copy.yaml"
        file["environment"] = [b"python 3.12 /opt/venv/bin/python3", b"command run /home/someone/job.yaml", b"copy 1/1"]
        file["results"] = [1.0]
        file["results"].attrs["source"] = "/scratch/run/a.cu"
        assert sorted(paths(file)) == ["/home/someone/job.yaml", "/scratch/run/a.cu"]


@pytest.mark.parametrize("path", [DATA / "h100-runs/unit1-copy.h5", *(pytest.param(one, marks=pytest.mark.weekly) for one in FILES)],
                         ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_command_reads_every_file(program, capsys, tmp_path, path):
    first = read(path).rows["id"].iloc[0]
    for words in (*(["report", path, of] for of in REPORTS), ["pivot", path, "-f", "md"], ["profile", path, "-o", tmp_path / "p.yaml"],
                  ["show", first, path], ["judge", path]):
        code, (_, err) = main([str(word) for word in words if word]), capsys.readouterr()
        assert code == 0 or code in (1, 2) and (err or words[0] == "judge"), (words, code, err)
