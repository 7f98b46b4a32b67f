"""What readers need of one family stands in its module: no other one names a family."""
import ast
import re

import pytest

from conftest import ROOT

from warpsweep import kernels

PACKAGE = ROOT / "python/src/warpsweep"
FAMILIES = re.findall(r"^    X\((\w+)\)", (ROOT / "kernels/registry.c").read_text(encoding="utf-8"), re.M)
# Texts that are the name of a family, too, and mean something else: a bound of the time model, a quantity, a way of a roof,
# words of axes.
MEANT = {*((name, "latency") for name in ("figure.py", "reports/bounds.py", "rows.py", "time_model.py")), ("time_model.py", "copy"),
         *(("axis_words.py", name) for name in FAMILIES)}


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


@pytest.mark.parametrize("path", [str(path.relative_to(PACKAGE)) for path in sorted(PACKAGE.rglob("*.py"))])
def test_no_module_names_a_family(path):
    """commands.py shows examples to type, _family.py is no reader."""
    if path.startswith("kernels/") or path in ("commands.py", "_family.py"):
        return
    assert not [one for one in named((PACKAGE / path).read_text(encoding="utf-8")) if (path, one[1]) not in MEANT]


def test_a_name_is_found():
    source = '"""copy"""\nrows = rows[rows["kernel"] == "copy"]\nERRORS = {"gather?": 1}\nsay("of tensor_matmul")\nsay("a copy")'
    assert {text for _, text in named(source)} == {"copy", "gather?", "tensor_matmul"}


def test_modules_are_of_families_of_the_tree():
    assert set(kernels.every()) <= set(FAMILIES)
    assert kernels.family("of_a_user") is kernels.family("no name") is kernels.UNKNOWN
