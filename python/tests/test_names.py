"""An axis may have any name that the program takes: of each name that the package gives to a column of its own, made from its
source, there is one in a file, and every reader has the numbers that it has of the same file with names of no meaning."""
import ast
import dataclasses
import functools
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from planted import rewritten, table

import warpsweep
from warpsweep import differences, pivots, plots, rates
from warpsweep.__main__ import main
from warpsweep.columns import Columns

NAME = re.compile("[a-z][a-z0-9_]*")
ROWS = 16  # of the file


def texts(node):
    """Those in a part of the source; without the dot that keeps a column of the package apart from axes."""
    return {one.value.lstrip(".") for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


@functools.cache
def names_of_columns():
    """Names that the package's source gives to columns, or looks for in rows."""
    found = set()
    for path in (ROOT / "python/src/warpsweep").rglob("*.py"):
        if path.name == "_family.py":  # another program
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Subscript):
                found |= texts(node.slice)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("assign", "DataFrame", "reindex", "rename"):
                found |= {one.arg for one in node.keywords if one.arg}
                found |= set().union(*(texts(key) for one in ast.walk(node) if isinstance(one, ast.Dict) for key in one.keys if key))
    return sorted(name for name in found if NAME.fullmatch(name) and len(name) < 32)


def with_axes(path, names, words):
    """Rows of a shipped file as a family of a user's with these axes: of each point there are two, which differ in all of them."""
    shutil.copy(ROOT / "analysis/data/h100-copy.h5", path)
    columns, rows = table(path, "columns"), table(path, "results")
    rows = rows[(rows["repeat"] == 0) & (rows["status"] == b"ok") & np.isin(rows["variant"], [b"load", b"memcpy"])
                & (rows["cache"] == b"cold") & (rows["stride"] == 1)]
    rows = np.sort(rows, order=["variant", "size"])[:ROWS]
    taken = {*columns["name"][columns["table"] == b"results"].astype(str), *rates.DERIVED, "device"}  # the program refuses them
    names = [name for name in names if name not in taken]
    kind, two = ("S2", (b"w1", b"w2")) if words else ("i8", (11, 12))
    made = np.zeros(ROWS, [*((name, rows.dtype[name]) for name in rows.dtype.names), *((name, kind) for name in names)])
    for name in rows.dtype.names:
        made[name] = rows[name]
    made["kernel"], half = b"fam", ROWS // 2
    axes = columns["name"][(columns["table"] == b"results") & (columns["role"] == b"axis")].astype(str)
    for name in axes:
        made[name][half:] = made[name][:half]
    for name in names:
        made[name] = np.where(np.arange(ROWS) < half, *two)
    more = np.zeros(len(names), columns.dtype)
    more["table"], more["name"], more["role"], more["type"] = b"results", names, b"axis", b"text" if words else b"integer"
    rewritten(path, results=made, columns=np.concatenate([columns, more]))
    return names


@pytest.fixture(scope="module", params=["numbers", pytest.param("words", marks=pytest.mark.weekly)])
def files(request, tmp_path_factory):
    """The file, the same with names of no meaning, and the names of its axes."""
    folder = tmp_path_factory.mktemp("axes")
    named, plainly = folder / "named/results.h5", folder / "plain/results.h5"
    for path in (named, plainly):
        path.parent.mkdir()
    names = with_axes(named, names_of_columns(), request.param == "words")
    assert {"source", "file", "seconds", "ratio", "verdict", "a", "time_a", "curve", "y", "known"} <= set(names)
    plain = [f"axis_{chr(97 + place // 26)}{chr(97 + place % 26)}_of" for place in range(len(names))]
    with_axes(plainly, plain, request.param == "words")
    return named, plainly, dict(zip(names, plain))


def numbers(text):
    """The numbers of a text, without those in names and colours."""
    return re.findall(r"(?<![\w.#])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)", text)


@pytest.mark.parametrize("words", [
    "pivot {} -c all -f json", "pivot {} -f latex", "report {}", "report {} --bounds", "report {} --model", "compare {} {}",
    "compare {} {} --points -f json", "judge {} {good}", "show {id} {}",
])
def test_commands(files, words, capfd):
    point, said = warpsweep.read(files[0]).rows["id"][0], []
    for path in files[:2]:
        good = ROOT / "analysis/data/h100-copy-again.h5"
        code = main(words.replace("{}", str(path)).replace("{good}", str(good)).replace("{id}", point).split())
        out, errors = capfd.readouterr()
        said.append((code, errors.replace(str(path), ""), numbers(out.replace(str(path), ""))))
    assert said[0] == said[1] and said[0][0] < 2 and "internal error" not in said[0][1]


def test_tables(files):
    """An axis has its name, and a column of ours that is called the same a dot before it."""
    named, plain, names = files
    pd.testing.assert_frame_equal(warpsweep.load(named).rename(columns=names), warpsweep.load(plain))
    one, other = (warpsweep.compare(path, path) for path in (named, plain))
    own = {f".{name}": name for name in names if f".{name}" in one}
    assert set(own.values()) >= {"ratio", "ratio_low", "verdict", "time_a", "share_b"}
    pd.testing.assert_frame_equal(one.rename(columns={**names, **own}), other)


def test_papers(files, tmp_path, placeholders):
    said = []
    for path in files[:2]:
        folder = tmp_path / path.parent.name
        assert main(["paper", str(path), "-o", str(folder)]) == 0
        said.append(sorted(one.name for one in folder.rglob("*.tex")))
    assert said[0] == said[1]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results by the name of their only axis beside those of the file."""
    path = tmp_path_factory.mktemp("axis") / "plain.h5"
    with_axes(path, ["plain"], False)
    made = warpsweep.read(path)
    differences.prepare(made, by="plain")  # whose estimates are the same for all

    def called(name):
        columns = Columns({name if old == "plain" else old: dataclasses.replace(column, name=name if old == "plain" else old)
                           for old, column in made.columns.items()})
        return dataclasses.replace(made, rows=made.rows.rename(columns={"plain": name}), columns=columns)
    return called


def told(results, name):
    """What readers say of the values of an axis: a pivot, a figure along it, curves by it, its values compared, the best."""
    rows = plots.read_rows(results, "")
    found = [pivots.pivot(rows[rows["variant"] == "load"], f"rows={name},cols=size,value=bandwidth", False)[0].to_numpy().tolist()]
    for x, by in ((name, ["variant"]), ("size", [name])):
        d, chosen = plots.own(rows, x, "bandwidth", by)
        figure = plots.Request(chosen).make(d)[0]
        found += [curve.points[["x", "y", "low", "high"]].to_numpy().tolist() for curve in figure.curves]
    compared = differences.point_table(differences.prepare(results, by=name))
    found.append(compared[["ratio", "verdict"]].to_numpy().tolist())
    found.append(warpsweep.best_variants(rows).drop(columns="sentence").to_numpy().tolist())
    return str(found)


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.weekly)])
def test_each_axis(results, step):
    expected, taken = told(results("plain"), "plain"), {*results("plain").columns, "device"}
    names = [name for name in names_of_columns() if name not in taken]
    chosen = dict.fromkeys(["a", "b", "curve", "file", "ratio", "source", "value", "verdict", "x", "y", *names[::step]])
    assert [name for name in chosen if told(results(name), name) != expected] == []


@pytest.mark.parametrize("list_of, columns", [("DERIVED", rates.DERIVED), ("PREDICTED", rates.PREDICTED)])
def test_program_reserves_what_readers_derive(list_of, columns):
    header = Path(os.environ["BUILD"], "version/derived_columns.h").read_text(encoding="utf-8")
    reserved = re.search(rf"{list_of}_COLUMNS\(X\) (.*)", header)[1]
    assert re.findall(r"X\((\w+), (\w+)\)", reserved) == [(name, column.type) for name, column in columns.items()]
