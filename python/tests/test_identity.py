"""Files are told apart by their place in the list and their run: what is printed does not depend on what they are called."""
import os
import pathlib
import re
import shutil

import pytest
from conftest import ROOT

from warpsweep.__main__ import main
from warpsweep.frames import frame
from warpsweep.identity import names

RUNS = ["h100-copy", "h200-copy", "h100-copy-again"]


@pytest.mark.parametrize("given, expected", [
    ("a.h5 b.h5", "a.h5 b.h5"),
    ("h100/r.h5 h200/r.h5 other/s.h5", "h100/r.h5 h200/r.h5 s.h5"),
    ("/x/a/r.h5 /y/a/r.h5", "x/a/r.h5 y/a/r.h5"),
    ("r.h5 a/r.h5 b/a/r.h5", "r.h5 a/r.h5 b/a/r.h5"),
    ("/r.h5 a/r.h5", "/r.h5 a/r.h5"),
])
def test_names(given, expected):
    assert names([pathlib.Path(path) for path in given.split()]) == expected.split()


def test_names_that_are_no_text_are_shown_with_escapes():
    """Bytes that are no UTF-8, as the system's encoding keeps them, and control characters; both still tell files apart."""
    odd = [pathlib.Path(os.fsdecode(name)) for name in (b"a\xe9.h5", b"a\xe8.h5", b"a\n.h5", "a\u00e9.h5".encode())]
    assert names(odd) == [r"a\xe9.h5", r"a\xe8.h5", r"a\n.h5", "a\u00e9.h5"]


def test_a_file_that_is_there_twice_has_a_number():
    assert names([pathlib.Path("a/r.h5")] * 2) == ["a/r.h5", "a/r.h5 (2)"]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """The same files with names of their own, and with one name in folders of their own."""
    folder = tmp_path_factory.mktemp("names")
    for name in RUNS:
        for path in (folder / "own" / f"{name}.h5", folder / "equal" / name / "results.h5"):
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / f"analysis/data/{name}.h5", path)
    return folder


def paths_of(kinds, kind, count=3):
    return [str(kinds / (f"own/{name}.h5" if kind == "own" else f"equal/{name}/results.h5")) for name in RUNS[:count]]


def renamed(text, kinds):
    """What is said of files of equal names, with the names that are their own."""
    for name in RUNS:
        for path in (str(kinds / "equal" / name / "results"), f"{name}/results"):
            own = str(kinds / "own" / name) if path.startswith("/") else name
            text = text.replace(path, own)
    return text


@pytest.mark.parametrize("words, count", [
    ("pivot {} -k copy -w stride=1 -f tsv", 3),
    ("pivot {} -w cache=cold -w variant=memcpy -p rows=size,cols=file,value=bandwidth", 3),
    ("report {}", 3), ("report {} --findings", 3), ("report {} --roofs", 3), ("report {} --time", 3),
    ("compare {}", 2), ("compare {} -f json --points", 2), ("judge {}", 3),
])
def test_readers(words, count, kinds, capfd):
    said = {}
    for kind in ("own", "equal"):
        main(words.replace("{}", " ".join(paths_of(kinds, kind, count))).split())
        said[kind] = capfd.readouterr().out
    assert said["own"] and said["own"] == renamed(said["equal"], kinds)


def test_three_runs_of_one_product_are_three_groups(kinds):
    groups = [frame(paths_of(kinds, kind)).attrs["groups"] for kind in ("own", "equal")]
    assert len(groups[0]) == 3
    assert list(groups[0]) == [renamed(label, kinds) for label in groups[1]]


def written(folder, kinds):
    """The texts in a folder, with the names of files that are their own; names of files that hold a name are left out."""
    return {path.name: renamed(path.read_text("utf-8"), kinds) for path in sorted(folder.rglob("*"))
            if path.suffix in (".tex", ".txt", ".tsv", ".html") and "file-" not in path.name}


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="there is no gnuplot")
@pytest.mark.parametrize("words, count", [("paper {} --full", 2), ("plot {} -F copy_stride -F copy_size -F speedup -f svg --data", 2),
                                          ("plot {} -F copy_stride -f svg --data --width 7in", 3)])
def test_papers_and_figures(words, count, kinds, tmp_path, capfd, request):
    if words.startswith("paper"):
        request.getfixturevalue("placeholders")
    said = {}
    for kind in ("own", "equal"):
        assert main([*words.replace("{}", " ".join(paths_of(kinds, kind, count))).split(), "-o", str(tmp_path / kind)]) == 0
        said[kind] = written(tmp_path / kind, kinds)
    assert said["own"].keys() == said["equal"].keys()
    for text in (said["equal"].get("index.html", ""), said["own"].get("index.html", "")):
        ids = re.findall(r'\bid="([^"]*)"', text)
        assert len(ids) == len(set(ids))
    for name, text in said["own"].items():
        assert name == "index.html" or "file-" in text or text == said["equal"][name], name
