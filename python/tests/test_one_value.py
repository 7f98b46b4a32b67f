"""A point has one time, one rate, one share of its roof and one interval of each, whichever command prints them."""
import io
import json
import re
import shutil

import numpy as np
import pandas as pd
import planted
import pytest

from conftest import SHIPPED

import warpsweep
from warpsweep import diagnosis, directives, frames, plots, results, rows, sheet, units
from warpsweep.__main__ import main
from warpsweep.condition import is_transient
from warpsweep.paper import tables
from warpsweep.paper.study import Study
from warpsweep.selecting import INTEGERS

TIME, SHARE = ["time_median", "time_ci_low", "time_ci_high"], ["fraction_peak", "fraction_peak_low", "fraction_peak_high"]
ROOF = ["roof", "roof_rate", "roof_rate_low", "roof_rate_high"]


def chosen(path):
    """Of each family the best point, the one in the middle of the file, and the one with the widest interval."""
    every = rows.with_description(frames.frame(path))
    ok = every[(every["status"] == "ok") & (every["sample_count"] > 0)]
    width, found = ok["time_ci_high"] / ok["time_ci_low"], []
    for _, of in ok.groupby("kernel"):
        best = of[".rank"].idxmax() if of[".rank"].notna().any() else of.index[0]
        found += [best, of.index[len(of) // 2], width[of.index].idxmax()]
    found = every.loc[sorted(set(found))]
    return found.assign(**{".part": diagnosis.parts_of(found)}).set_index("id", drop=False)


def printed(capsys, *words):
    capsys.readouterr()
    assert main([str(word) for word in words]) in (0, 1)
    return capsys.readouterr().out


def values(capsys, *words):
    return pd.DataFrame(json.loads(printed(capsys, *words, "-f", "json")))


def read_back(text, of):
    """The value and half of the interval that a cell like ``4299 ± 4 GB/s`` tells, in the file's unit, and how far printing has
    rounded them."""
    number, half, unit = re.fullmatch(r"([-\d.e+]+)(?: ± ([\d.]+))?(?: (\S+))?", re.sub("[†‡§]", "", text).replace("about ", "")).groups()
    known = units.find(unit) if unit else None
    assert (known.of if known else unit or "") == of, text
    scale = known.scale if known else 1
    digit = 10.0 ** -len(number.partition("e")[0].partition(".")[2]) * 10.0 ** int(number.partition("e")[2] or 0)
    return float(number) * scale, float(half or "nan") * scale, 0.51 * digit * scale


def holds(text, of, value, low, high):
    """Whether a cell has this value and half of this interval, but for rounding."""
    told, half, rounding = read_back(text, of)
    return abs(told - value) <= rounding and (half != half or abs(half - (high - low) / 2) <= rounding)


@pytest.mark.parametrize("path", SHIPPED)
def test_commands_print_one_value(path, capsys, tmp_path):
    points = chosen(path)
    ids, measured = ",".join(points["id"]), sorted({rows.QUANTITIES[name].column for name in points[".quantity"]})
    columns = ["id", "sample_count", *ROOF, *SHARE, *dict.fromkeys([*TIME, *measured])]
    ask = [path, "-w", f"id={ids}", "-c", ",".join(columns)]
    table = values(capsys, "table", *ask).set_index("id")
    assert len(table) == len(points)
    pd.testing.assert_frame_equal(values(capsys, "pivot", *ask).set_index("id"), table)
    assert (table[TIME] == points.loc[table.index, TIME]).all(axis=None)
    seconds = table["time_median"]
    loaded = warpsweep.load(path).set_index("id").loc[table.index]
    for name in (*TIME, *SHARE, "sample_count", *measured):
        assert np.array_equal(loaded[name].to_numpy(float, na_value=np.nan), table[name].to_numpy(float), equal_nan=True), name

    for quantity, of in points.groupby(".quantity"):
        what, of = rows.QUANTITIES[quantity], of.loc[[id for id in table.index if id in of.index]]
        value = table.loc[of.index, what.column]
        # Ends of a rate are those of the time; a latency in cycles has none.
        ends = [value * (seconds[of.index] / table.loc[of.index, end]) for end in TIME[:0:-1]] if what.timed else [value * np.nan] * 2
        if what.column == "time_median":
            ends = [table.loc[of.index, end] for end in TIME[1:]]
        assert np.allclose(of[".value"], value, rtol=0) and np.allclose(of[[".low", ".high"]].T, ends, equal_nan=True)
        # pivot, with the intervals that it makes
        wide = values(capsys, "pivot", path, "-w", f"id={','.join(of.index)}", "-p", f"rows=id,cols=kernel,value={what.column}")
        wide = wide.set_index("id")
        for kernel, mine in of.groupby("kernel"):
            assert wide.loc[mine.index, kernel].tolist() == value[mine.index].tolist()
            for end, expected in zip(("_low", "_high"), ends) if f"{kernel}_low" in wide else ():
                assert np.allclose(wide.loc[mine.index, kernel + end].astype(float), expected[mine.index], equal_nan=True)
        # table for people, with units
        text = printed(capsys, "table", path, "-w", f"id={','.join(of.index)}", "-c", f"id,{what.column}", "-f", "text")
        cells = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in text.split("\n\n")[0].splitlines()[1:])
        for id in of.index:
            low, high = (end[id] for end in ends)
            assert cells[id] == "—" or holds(cells[id], what.unit, value[id], low, high), (id, cells[id])
        # plot: the data of a figure
        d = directives.parse(f"#: title x\n#: kernel *\n#: x sample_count\n#: y {what.column}\n#: series kernel\n#: columns id\n"
                             f"#: draw dots\n#: where id={','.join(of.index)}", "x")
        if what.timed and len(of) > 1 and of["sample_count"].nunique() > 1:
            figure, drawing = plots.Request(plots.read_rows(path), [], 3.4, "svg", "beside").make(d)
            unit = units.find(re.search(r"\((\S+)\)$", figure.y[0].label)[1])
            for block in drawing.table.split("\n\n"):
                drawn = pd.read_csv(io.StringIO(block), sep="\t", comment="#").set_index("id")
                assert unit.of == what.unit and np.allclose(drawn["y"] * unit.scale, value[drawn.index], rtol=1e-8)
                if what.column != "time_median" and "clipped" not in drawn:
                    assert np.allclose(drawn[["low", "high"]].T.to_numpy(float, na_value=np.nan) * unit.scale,
                                       [end[drawn.index] for end in ends], rtol=1e-8)


@pytest.mark.parametrize("path", SHIPPED)
def test_papers_print_the_same_value(path, capsys):
    """The cells of all tables of variants, and of that of families."""
    study = Study([results.read(path)])
    ids, sheets = [], [tables.variants(study, "", family) for family in study.families]
    best = study.best(["kernel", "variant", ".label"])
    for family in study.families:
        ids.append(best[best["kernel"] == family.name].drop_duplicates("variant")["id"].tolist())
    first = study.best(["kernel", ".label"]).drop_duplicates("kernel").set_index("kernel")
    every = [*dict.fromkeys([*sum(ids, []), *first["id"]])]
    if not every:  # all are of a transient clock, and none of them is the best
        assert is_transient(study.all).all() and not any(own.rows for own in sheets)
        assert {cell for row in tables.families(study, "").rows for cell in row[2:]} == {"—"}
        return
    columns = [*TIME, *SHARE, *dict.fromkeys(family.column for family in study.families if family.column != "time_median")]
    table = values(capsys, "table", path, "-w", f"id={','.join(every)}", "-c", ",".join(["id", *columns])).set_index("id")

    def agrees(cell, id, family, integers=False):
        value, seconds = table.loc[id, family.column], table.loc[id, "time_median"]
        low, high = (value * seconds / table.loc[id, end] for end in TIME[:0:-1])
        if family.column == "time_median":
            low, high = table.loc[id, TIME[1:]]
        of = rows.QUANTITIES[family.quantity].unit
        return holds(cell, units.OPERATIONS.get(of, of) if integers else of, value, low, high)

    told = 0
    for family, own, of in zip(study.families, sheets, ids):
        assert [row[0] for row in own.rows] == study.best(["kernel", "variant", ".label"]).query("kernel == @family.name")[
            "variant"].drop_duplicates().tolist()
        for id, row in zip(of, own.rows):
            for head, cell in zip(own.heads[3:], row[3:]):
                said = sheet.shown(head, cell)
                if said != "—" and head.name == study.rows.set_index("id").loc[[id], ".label"].iloc[0]:
                    mark = re.search("[†‡§]*$", said)[0]
                    flops, _, operations = head.unit.partition(" or ")  # of both: the type of the row says which
                    integers = study.rows.set_index("id").get("dtype", pd.Series(dtype=object)).get(id, "") in INTEGERS
                    unit = operations if operations and integers else flops
                    assert agrees(f"{said.removesuffix(mark)} {unit}{mark}", id, family, integers), (id, said, head)
                    told += 1
    whole = tables.families(study, "")
    for row in whole.rows:
        family = study.by_name[row[0]]
        for head, cell in zip(whole.heads[2:], row[2:]):
            said = sheet.shown(head, cell)
            if head.name == "of its roof" and said != "—" and len(study.devices) == 1:
                id = first.loc[family.name, "id"]
                assert holds(re.sub("[†‡§]", "", said), "", *(100 * table.loc[id, SHARE])), (id, said)
                told += 1
            if head.name == "Rate" and said != "—":
                assert agrees(said, first.loc[family.name, "id"], family), said
                told += 1
    assert told


@pytest.mark.parametrize("path", SHIPPED)
def test_comparisons_print_the_same_value(path, capsys, tmp_path):
    """compare and judge, of a point of each part of the machine, with a copy in which these take 1.07 times as long."""
    points = chosen(path)
    points = points[~points[".above"]].drop_duplicates(".part")
    source = planted.table(path, "results")
    mine = source[np.isin(source["id"].astype(str), points["id"]) & (source["repeat"] == 0)]
    few = planted.rewritten(shutil.copy(path, tmp_path / "few.h5"), results=mine)
    later = planted.changed(few, tmp_path / "later.h5", 1.07)
    environment = planted.table(later, "environment")
    environment["value"][environment["name"] == b"start"] = b"another run"
    planted.rewritten(later, environment=environment)
    columns = ["id", "kernel", *TIME, *SHARE]
    a, b = (values(capsys, "table", file, "-c", ",".join(columns)).set_index("id") for file in (few, later))
    assert a["time_median"].tolist() == points.loc[a.index, "time_median"].tolist()
    said = values(capsys, "compare", few, later, "--points", "--mixed")
    for side, of in (("a", a), ("b", b)):  # each of the rows, in any order: without its id
        assert np.allclose(np.sort(said[f"time_{side}"]), np.sort(of["time_median"]), rtol=1e-7)
        shares = of["fraction_peak"].astype(float).dropna()
        assert np.allclose(np.sort(said[f"share_{side}"].astype(float).dropna()), np.sort(shares), rtol=1e-7)
    ratio = (b["time_median"] / a["time_median"].reindex(b.index))
    assert np.allclose(np.sort(said["ratio"]), np.sort(ratio)) and np.allclose(ratio, 1.07)
    text = printed(capsys, "compare", few, later, "--points", "--mixed", "-f", "text")
    for of in (a, b):
        assert all(f" {units.seconds_text(seconds)} " in text for seconds in of["time_median"])
    if len(results.read(path).devices) > 1:  # judge tells devices apart
        return
    (health,) = json.loads(printed(capsys, "judge", later, few, "-f", "json"))
    judged = pd.DataFrame(health["parts"]).query("points > 0").set_index("part")["ratio"]
    parts = points.set_index(".part")["id"]
    assert len(judged) and np.allclose(judged, ratio[parts[judged.index]], rtol=1e-7)
