"""What readers need of one family stands in its module: no other one names a family, or an axis that one family alone has.
Units stand in units.py, rows.py, rates.py, as those of columns, and, as fields of its own format, profiles.py."""
import ast
import os
import re
import struct
import subprocess
import sys
from collections import Counter

import pytest

from conftest import ROOT

from warpsweep import kernels

PACKAGE = ROOT / "python/src/warpsweep"
FAMILIES = re.findall(r"^    X\((\w+)\)", (ROOT / "kernels/registry.c").read_text(encoding="utf-8"), re.M)
# Texts that are the name of a family, too, and mean something else: a bound of the time model, a quantity, a way of a roof.
MEANT = {*((name, "latency") for name in ("claims.py", "figure.py", "reports/bounds.py", "rows.py", "time_model.py")), ("time_model.py", "copy"), ("rates.py", "copy")}
# The same of axes: what else each word is. None of them is read as a column, or stands in a condition.
ALSO = {"beside": "a place of captions", "copy": "a way of a roof", "fill": "a phase of a run", "grid": "of a launch that show lists",
        "index": "an index of pandas", "launch": "a bound of the time model", "line": "a directive", "measured": "not predicted", "memory": "a group of processes in Linux",
        "order": "of replicates", "other": "a role of columns", "place": "a directive", "protocol": "how points are measured",
        "read": "a function, a way of a roof", "records": "an orientation of pandas", "step": "a directive", "store": "a way of an access", "table": "a directive",
        "type": "a field of /columns", "written": "a way of a roof"}
COLUMN_OF = {"reals", "texts", "of", "is_", "column"}  # functions of a column, by its name
UNIT = r"(?<![A-Za-z])([kMGTPE]i?B/s|bytes/s|[kMGTPE]?(FLOP|flop|op)/s|[kMG]Hz|[pnum]?J/\w+)"
# What is no reader, shows examples, or stands on one family's side.
APART = re.compile(r"kernels/|commands\.py|_family\.py")
PATHS = [path for path in sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")) if not APART.match(path)]


def texts(source):
    """The texts of a module but for docstrings, with their lines."""
    tree = ast.parse(source)
    docs = {id(node.body[0].value) for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and isinstance(node.body[0], ast.Expr)}
    return [(node.lineno, node.value) for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs]


def named(source, families=FAMILIES):
    """Families that a module names: texts that consist of names alone, and names of two words in any text."""
    found = []
    for line, text in texts(source):
        words = re.findall(r"\w+", text)
        if words and set(words) <= set(families) and re.fullmatch(r"[\w\s?]+", text):
            found.append((line, text))
        found += [(line, word) for word in set(words) & {one for one in families if "_" in one} if (line, text) not in found]
    return found


def test_registry_is_read():
    assert len(FAMILIES) > 25 and {"copy", "tensor_matmul"} <= set(FAMILIES)


@pytest.fixture(scope="session")
def axes(program):
    """Axes that one family alone has."""
    count = Counter()
    for family in FAMILIES:
        said = subprocess.run([program, "kernels", family], capture_output=True, text=True, check=True).stdout
        count.update(re.findall(r"^  (\w+) +\S", said, re.M))
    return {axis for axis, families in count.items() if families == 1}


def axes_named(source, axes):
    """Axes that a module reads as a column, or names in a condition or, if the word means nothing else, at all."""
    found = [one for one in texts(source) if one[1] in axes - set(ALSO)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in COLUMN_OF:
            found += [(node.lineno, arg.value) for arg in node.args if isinstance(arg, ast.Constant) and arg.value in axes & set(ALSO)]
    return found + [(line, text) for line, text in texts(source)
                    if (match := re.match(r"(\w+)(!=|<=|>=|=|<|>)\w", text)) and match[1] in axes]


@pytest.mark.parametrize("path", PATHS)
def test_no_module_names_an_axis_of_one_family(path, axes):
    assert not axes_named((PACKAGE / path).read_text(encoding="utf-8"), axes)


def test_an_axis_is_found(axes):
    assert {"index_dtype", "fill", "hit_ratio"} <= axes and not {"size", "dtype", "stride", "variant"} & axes
    source = 'a = texts(rows, "fill")\nb = rows["hit_ratio"]\nc = where(rows, "launch=alone")\nd = "place"\ne = q.of("size")'
    assert [line for line, _ in sorted(axes_named(source, axes))] == [1, 2, 3]


def test_words_that_mean_more_are_axes_and_used(axes):
    used = {text for path in PATHS for _, text in texts((PACKAGE / path).read_text(encoding="utf-8"))}
    assert set(ALSO) <= axes & used


def units(source):
    return [(line, text) for line, text in texts(source) if re.search(UNIT, text)]


@pytest.mark.parametrize("path", [path for path in PATHS if path not in ("units.py", "rows.py", "rates.py", "profiles.py")])
def test_no_module_names_a_unit(path):
    assert not units((PACKAGE / path).read_text(encoding="utf-8"))


def test_a_unit_is_found():
    source = 'a = "at 5 GB/s"\nb = "bytes/s"\nc = "2 TFLOP/s"\nd = "1755 MHz"\ne = "and/so"\nf = "seconds"'
    assert [line for line, _ in units(source)] == [1, 2, 3, 4]


@pytest.mark.parametrize("path", PATHS)
def test_no_module_names_a_family(path):
    assert not [one for one in named((PACKAGE / path).read_text(encoding="utf-8")) if (path, one[1]) not in MEANT]


def test_a_name_is_found():
    source = '"""copy"""\nrows = rows[rows["kernel"] == "copy"]\nERRORS = {"gather?": 1}\nsay("of tensor_matmul")\nsay("a copy")'
    assert {text for _, text in named(source)} == {"copy", "gather?", "tensor_matmul"}


def test_modules_are_of_families_of_the_tree():
    assert set(kernels.every()) <= set(FAMILIES)
    assert kernels.family("of_a_user") is kernels.family("no name") is kernels.UNKNOWN


def test_the_process_of_references_ends_silently_when_its_asker_has():
    requests, answers = os.pipe(), os.pipe()
    os.write(requests[1], struct.pack("<I", 4) + b"what")
    os.close(answers[0])
    done = subprocess.run([sys.executable, PACKAGE / "_family.py", "serve", str(requests[0]), str(answers[1])], pass_fds=(requests[0], answers[1]),
                          capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
