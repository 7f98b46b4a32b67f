"""The computed tables of figures, against numbers that the C of release 0.5 put into NAME.tsv of the same shipped files.

derived.tsv has for each table: figure, files, --heat, --where, rows, the sums of x and y, the text for the caption; or the
reason for which it is skipped.
"""
import csv
from functools import lru_cache

import pytest

from conftest import ROOT
from warpsweep import derived, directives, frames, results

DATA = ROOT / "analysis/data"
with open(ROOT / "python/tests/derived.tsv", newline="", encoding="utf-8") as file:
    KNOWN = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@lru_cache(maxsize=4)
def read(name):
    return results.read(DATA / name)


@lru_cache(maxsize=2)
def rows(files, canaries):
    return frames.frame([read(name) for name in files.split()], canaries=canaries)


def table(figure, files, heat="", where=""):
    path = ROOT / f"analysis/{figure}.gp"
    of = directives.parse(path.read_text(encoding="utf-8"), figure)
    chosen = frames.where(rows(files, of.one("table") == "canaries"), where)
    made = derived.table(of.one("table"), chosen, {"heat": heat, "where": where.replace(" ", "\n")})
    x = made["time"] * 1e6 if figure == "aa" else made[of.place]
    return made, x, made[of.one("y")], of


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known['figure']} {known['files']}")
def test_equals_c(known):
    ask = [known[name] for name in ("figure", "files", "heat", "where")]
    if known["rows"] == "skipped":
        with pytest.raises(directives.Skipped) as skipped:
            table(*ask)
        assert str(skipped.value) == known["remark"]
        return
    made, x, y, of = table(*ask)
    assert len(made) == int(known["rows"])
    assert [x.sum(), y.sum()] == pytest.approx([float(known["x"]), float(known["y"])], rel=1e-8)
    assert made.attrs.get("remark", "") == known["remark"]
    assert set(of.all("interval")[:2] + of.all("columns") + of.all("series")) <= set(made)
    assert set(made["source"]) <= set(made.attrs["groups"])


def test_every_table_has_a_figure():
    drawn = [directives.parse(path.read_text(encoding="utf-8"), path.stem).one("table")
             for path in (ROOT / "analysis").glob("*.gp") if path.stem not in directives.SHARED]
    assert sorted(filter(None, drawn)) == sorted(derived.TABLES)
