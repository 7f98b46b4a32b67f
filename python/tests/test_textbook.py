"""Statements of a textbook: their jobs have their points, their ratios are those of the times, and each verdict is given."""
import copy

import numpy as np
import pytest
from conftest import ROOT

from warpsweep import UsageError, derived, frame, textbook
from warpsweep.program import run_program
from warpsweep.reports import book
from warpsweep.results import read
from warpsweep.sheet import Document, render


@pytest.fixture(scope="module")
def rows():
    return textbook.compared([read(ROOT / f"analysis/data/{device}-paper.h5") for device in ("h100", "h200")])


def test_each_job_has_the_points_of_its_statements(program, tmp_path):
    for job, statements in textbook.statements().groupby("job"):
        file = tmp_path / f"{job}.h5"
        run_program("run", str(ROOT / f"jobs/{job}.yaml"), "-o", str(file), "--backend", "fake", "--counters", "none",
                    "--set", "timing.replicates=1")
        points = frame(file)
        for _, one in statements.iterrows():
            own = points[(points["repeat"] == 0) & (points["kernel"] == one["kernel"])]
            for side in ("before", "after"):
                found = textbook.points(own, one, side)
                assert len(found) == 1 if one["unit"] == textbook.RATIO else len(found), f"{one['statement']}: {side}"


def test_ratios_are_those_of_the_median_times(rows):
    assert set(rows["source"]) == {"NVIDIA H100 80GB HBM3", "NVIDIA H200"} and rows["place"].nunique() > 15
    for _, one in rows[rows["unit"] == textbook.RATIO].iterrows():
        file = ROOT / f"analysis/data/{'h100' if 'H100' in one['source'] else 'h200'}-paper.h5"
        points = frame(file)
        own = points[points["kernel"] == one["kernel"]]
        before, after = (textbook.points(own, one, side)["time_median"].item() for side in ("before", "after"))
        assert one["value_low"] <= one["value"] <= one["value_high"]
        assert np.isclose(one["value"], before / after, rtol=0.01), one["statement"]
        assert one["value_high"] / one["value_low"] < 1.05


@pytest.mark.parametrize("low, high, unit, value, verdict", [
    (3.7, 3.7, "times", (1.28, 1.29), "less"),
    (3.7, 3.7, "times", (3.5, 3.6), "as printed"),
    (3.7, 3.7, "times", (0.99, 1.01), "no effect"),
    (3.7, 3.7, "times", (0.99, 1.2), "less"),
    (3.7, 3.7, "times", (0.7, 0.8), "the opposite"),
    (1.2, 1.2, "times", (2.0, 2.1), "more"),
    (1.08, 1.08, "times", (1.0, 1.02), "as printed"),
    (40, 50, "%", (2, 14), "less"),
    (200, 200, "cycles", (281, 281), "more"),
    (300, 800, "cycles", (663, 663), "as printed"),
])
def test_verdicts(low, high, unit, value, verdict):
    assert textbook._verdict({"low": low, "high": high, "unit": unit, "value_low": value[0], "value_high": value[1]}) == verdict


def test_a_failed_point_has_no_statement(rows):
    file = copy.copy(read(ROOT / "analysis/data/h200-paper.h5"))
    file.rows = file.rows.copy(deep=True)
    file.rows.loc[file.rows.eval("kernel == 'matmul' and variant == 'naive' and m == 1024"), "status"] = "failed"
    before, after = rows[rows["source"] == "NVIDIA H200"]["statement"], textbook.compared([file])["statement"]
    assert [*set(before) - set(after)] == ["Tiling: a product of 1024 in shared memory"]


def test_statements_are_computed_once(monkeypatch):
    """A paper has them in a table and in a figure."""
    file, asked = read(ROOT / "analysis/data/h200-paper.h5"), []
    of_file = textbook._of_file
    monkeypatch.setattr(textbook, "_of_file", lambda results: asked.append(results) or of_file(results))
    file = copy.copy(file)
    file.statements = None, None
    first, again = textbook.compared([file]), textbook.compared([file])
    assert first.equals(again) and len(asked) == 1


def test_the_table_has_a_row_for_each_statement_and_a_column_for_each_device(rows):
    lines = render(textbook.sheet(rows), "md").splitlines()
    assert len(lines) == 2 + rows["place"].nunique()
    assert lines[0].count("H100") == 1 and "| 1.2847 ± 0.0011 | 1.1251 ± 0.0017 | less |" in lines[2]


def test_files_without_such_points_are_refused():
    with pytest.raises(UsageError, match="no file has the points of a statement; jobs that have them: pair_7_1"):
        book.print_textbook(Document(), frame(ROOT / "analysis/data/h100-links.h5"))


def test_each_file_of_a_product_has_its_statements():
    files = [read(ROOT / f"analysis/data/h200-{name}.h5") for name in ("paper", "ladder")]
    of = frame(files)
    found = textbook.compared(files)
    assert set(found["source"]) == set(of.attrs["groups"]) == {"NVIDIA H200", "NVIDIA H200 (h200-ladder)"}
    assert (found["source"] == "NVIDIA H200 (h200-ladder)").sum() == len(textbook.compared(files[1:])) > 0
    assert set(derived.book.textbook(of)[".source"]) == set(of.attrs["groups"])
    whole = derived.book.textbook(frame([*files, read(ROOT / "analysis/data/h200-tensor.h5")]))  # which has none
    assert whole["times"].dtype == float and len(whole) == len(derived.book.textbook(of))
