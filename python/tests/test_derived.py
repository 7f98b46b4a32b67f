"""The computed tables of figures, against what the C of release 0.5 put into NAME.tsv of the same shipped files.

derived.tsv has for each table: figure, files, --where, rows, the sums of x and y, `words` (the sum of y over
the rows of each word of each series and column, which ties words to values), and the text for the caption; or the
reason for which it is skipped. Captions and verdicts of ratios are those of today: intervals of families hold for another
run, and a wild sample is bounded; of 984 points at most two have another verdict than in C. UPDATE=1 in the environment writes derived.tsv anew,
for other measured files. Canaries of several devices
are today's: C took the first repetition on any device.
"""
import csv
import os
import shutil
from functools import lru_cache

import pytest

from conftest import ROOT
from warpsweep import derived, directives, frames, kernels, results, selecting
from warpsweep.columns import is_text

DATA = ROOT / "analysis/data"
with open(ROOT / "python/tests/derived.tsv", newline="", encoding="utf-8") as file:
    KNOWN = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@lru_cache(maxsize=4)
def read(name):
    return results.read(DATA / name)


@lru_cache(maxsize=2)
def rows(files):
    return frames.frame([read(name) for name in files.split()])


def table(figure, files, where=""):
    path = ROOT / f"analysis/{figure}.gp"
    of = directives.parse(path.read_text(encoding="utf-8"), figure)
    chosen = selecting.where(rows(files), where)
    made = derived.table(of.one("table"), chosen, where.split(), of.all("step"), of.all("state"))
    x = made["time"] * 1e6 if figure == "aa" else made[of.place]
    return made, x, made[of.one("y")], of


def by_word(made, y, of):
    """{"verdict faster": sum of y over its rows}"""
    named = dict.fromkeys(of.all("series") + of.all("columns"))
    named = [name for name in named if is_text(made[name]) and name != "lined"]  # C had it beside NAME.tsv
    return {f"{name} {word}": total for name in named for word, total in y.groupby(made[name]).sum().items()}


def weekly(place):
    """Daily is the first row of each figure that is drawn, and of each that is skipped, of one or two files."""
    of = [(row["figure"], row["rows"] == "skipped") for row in KNOWN if row["files"].count(" ") < 2]
    here = KNOWN[place]["figure"], KNOWN[place]["rows"] == "skipped"
    return here in [(row["figure"], row["rows"] == "skipped") for row in KNOWN[:place]] or (
        KNOWN[place]["files"].count(" ") > 1 and here in of)


@pytest.mark.parametrize("known", [
    pytest.param(known, id=f"{known['figure']} {known['files']}", marks=[pytest.mark.weekly] * weekly(place))
    for place, known in enumerate(KNOWN)])
def test_equals_c(known):
    ask = [known[name] for name in ("figure", "files", "where")]
    if known["rows"] == "skipped":
        with pytest.raises(directives.Skipped) as skipped:
            table(*ask)
        assert str(skipped.value) == known["remark"]
        return
    made, x, y, of = table(*ask)
    rounding = 5e-10 * y.abs().sum()  # NAME.tsv has 9 digits; sums of changes may cancel
    words = dict(part.rsplit("=", 1) for part in known["words"].split("|") if part)
    now, totals = by_word(made, y, of), {word: float(total) for word, total in words.items()}
    found = {"rows": (str(len(made)), len(made) == int(known["rows"])),
             "x": (f"{x.sum():.9g}", x.sum() == pytest.approx(float(known["x"]), rel=1e-8)),
             "y": (f"{y.sum():.9g}", y.sum() == pytest.approx(float(known["y"]), rel=1e-8, abs=rounding)),
             "words": ("|".join(f"{word}={total:.12g}" for word, total in now.items()),
                       now == pytest.approx(totals, rel=1e-8, abs=rounding)),
             "remark": (made.attrs.get("remark", ""), made.attrs.get("remark", "") == known["remark"])}
    other = {name: value for name, (value, holds) in found.items() if not holds}
    if other and os.environ.get("UPDATE"):
        known.update(other)
        text = "".join("\t".join(row.values()) + "\n" for row in [dict(zip(known, known)), *KNOWN])
        (ROOT / "python/tests/derived.tsv").write_text(text, encoding="utf-8")
    assert {name: known[name] for name in other} == other
    if "lined" in made:
        assert set(made.loc[made["lined"] == "yes", "kernel"]) == {"DRAM", "L2", "shared memory"}
    assert set(of.all("interval")[:2] + of.all("columns") + of.all("series")) <= set(made)
    assert set(made.get(".source", ())) <= set(made.attrs["groups"])


def test_every_table_has_a_figure():
    drawn = [directives.parse(path.read_text(encoding="utf-8"), path.stem).one("table")
             for path in (ROOT / "analysis").glob("*.gp")]
    assert sorted(filter(None, drawn)) == sorted([*derived.TABLES, *(name for family in kernels.every().values() for name in family.tables)])


def test_stalls_are_of_one_kernel_a_place():
    """The best kernels of either device, each of both devices, by name."""
    made = table("stalls", "h100-paper.h5 h200-paper.h5")[0]
    bars = made.groupby("point").agg({".source": "nunique", "place": "nunique", "kernel": "nunique"})
    assert (bars == [2, 1, 1]).all(axis=None) and {"block_load vectorize", "matmul register"} <= set(bars.index)
    assert made["place"].nunique() == len(bars)


def test_a_file_and_its_copy_are_one_run(tmp_path):
    copy = shutil.copy(DATA / "h100-copy.h5", tmp_path / "copy.h5")
    both = frames.frame([read("h100-copy.h5"), results.read(copy)])
    for name in ("ratios", "again", "families"):
        with pytest.raises(directives.Skipped, match="it needs two files"):  # the copy is left out
            derived.table(name, both)
