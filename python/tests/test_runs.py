"""analysis/data/runs.tsv says how each shipped file is measured again."""
import csv
import pathlib
import re
import shlex

import h5py

from conftest import ROOT

DATA = ROOT / "analysis/data"


def title(job):
    return re.search(r"^title: *\"?(.*?)\"? *$", job, re.M)[1]


def rows():
    lines = (DATA / "runs.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {row["name"]: (int(row["GPUs"]), shlex.split(row["arguments of warpsweep run"])) for row in csv.DictReader(lines, delimiter="\t")}


def test_each_shipped_file_has_a_run():
    runs, apart, found = rows(), set(), set()
    for path in sorted(DATA.glob("*.h5")):
        name = path.stem.partition("-")[2]
        _, arguments = runs[name]
        found.add(name)
        with h5py.File(path) as file:
            job = file["job"][()].decode()
        if title(job) != title((ROOT / arguments[0]).read_text(encoding="utf-8")):
            apart.add(path.stem)
    assert found == {*runs} and not apart


def test_runs_are_of_so_many_devices():
    runs = rows()
    for path in sorted(DATA.glob("h200-*.h5")):
        with h5py.File(path) as file:
            assert len(file["devices"]) == runs[path.stem.partition("-")[2]][0], path


def test_runs_name_what_there_is():
    for name, (_, arguments) in rows().items():
        folders = [arguments[i + 1] for i, word in enumerate(arguments) if word == "--kernels"]
        assert (ROOT / arguments[0]).is_file() and all(folder in ("cute-kernels", "triton-kernels") or (ROOT / folder).is_dir() for folder in folders), name
        assert not pathlib.Path(arguments[0]).is_absolute()
