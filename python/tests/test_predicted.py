"""Numbers that come from a prediction carry its mark, whatever prints them.

A predicted file is read twice, the second time with all of its times 1.37 times as long. What then differs in the outputs is
predicted: the line has the mark, or the head of its table or list."""
import difflib
import re
import shutil

import planted
import pytest
import reading
from conftest import ROOT

from warpsweep.program import run_program

MARK = re.compile(r"predict|‡|time model|model error", re.I)


def scaled(source, target):
    """A copy with all times longer."""
    results = planted.table(source, "results")
    for name in (one for one in results.dtype.names if one.startswith(("time_", "predicted_time", "latency_p"))):
        results[name] *= 1.37
    target.parent.mkdir()
    return planted.rewritten(shutil.copy(source, target), results=results)


def outputs(name, beside, folder):
    """All that is said of a predicted file, alone or beside others; each command's text by its words."""
    every = [*beside, name]
    said = reading.everything(every, folder)
    texts = {of: text for of, text in said.texts.items() if of != "report --time"}  # its times are those of its run
    for form in ("text", "csv"):
        texts[f"table {form}"] = planted.said("table", name, "-f", form).stdout
        texts[f"pivot {form}"] = planted.said("pivot", *every, "-f", form).stdout
    texts["table --top"] = planted.said("table", name, "--top", "2").stdout
    texts["show"] = planted.said("show", planted.table(name, "results")["id"][0].decode(), name).stdout
    texts["compare --published"] = planted.said("compare", "--published", name).stdout
    return texts


def head(lines, at, first):
    """What is above a row: its table in LaTeX, or the lines before it up to an empty one; in `compare`, whose first lines name
    the sides, those too. Nothing of a sentence, which has to say it itself."""
    line = lines[at]
    if not (line.startswith("|") or "  " in line.strip() or "\t" in line or line.count(",") > 8 or line.endswith(r"\\")):
        return []
    tables = [n for n in range(at) if re.match(r"\\(begin|end)\{(table|columntable)", lines[n])]
    start = tables[-1] if tables else max((n for n in range(at) if not lines[n].strip()), default=0)
    return lines[:first] + lines[start:at]


def unmarked(once, again, first=0):
    """Lines that differ, by more than spaces, and have no mark."""
    lines, found = once.splitlines(), []
    same = ([" ".join(line.split()) for line in text.splitlines()] for text in (once, again))
    for kind, begin, end, _, _ in difflib.SequenceMatcher(None, *same, autojunk=False).get_opcodes():
        if kind != "equal":
            found += [lines[at] for at in range(begin, end) if not MARK.search("\n".join([*head(lines, at, first), lines[at]]))]
    return found


@pytest.mark.parametrize("beside", [pytest.param((), marks=pytest.mark.weekly), ("h200-profile",)], ids=["alone", "beside"])
def test_what_is_predicted_is_marked(beside, tmp_path, program, monkeypatch):
    monkeypatch.setenv("WARPSWEEP_PROGRAM", program)
    (tmp_path / "a").mkdir()
    (job := tmp_path / "job.yaml").write_text("sweeps:\n  - kernel: copy\n    axes: {variant: [load, memcpy], size: [64KiB, 256MiB], vector: 4, block: 256}\n"
                   "  - kernel: latency\n    axes: {variant: [l1, shared], size: 8KiB}\n"
                   "  - kernel: tensor_matmul\n    axes: {variant: cublaslt, m: [4096, 8192], dtype: bf16}\n")
    assert planted.said("predict", job, "--profile", "b200", "-o", tmp_path / "a/b200.h5").returncode == 0
    assert "predicted back end, driver unknown: 8 rows" in run_program("status", str(tmp_path / "a/b200.h5"))
    scaled(tmp_path / "a/b200.h5", tmp_path / "b/b200.h5")
    of = {}
    for folder in ("a", "b"):
        monkeypatch.chdir(tmp_path / folder)
        of[folder] = outputs("b200.h5", [ROOT / f"analysis/data/{name}.h5" for name in beside], tmp_path / folder / "all")
    changed = [name for name, text in of["a"].items() if text != of["b"][name]]
    lost = [f"{name}: {line}" for name in changed for line in unmarked(of["a"][name], of["b"][name], 2 if name == "compare" else 0)]
    assert not lost, "\n".join(lost)
    assert {"report", "report --findings", "table text", "pivot text", "show", "paper abstract", "compare --published"} <= {*changed}


def test_marks_can_be_missing():
    assert unmarked("It takes 3 us.", "It takes 4 us.") == ["It takes 3 us."]
    assert unmarked("It takes 3 us, as predicted.", "It takes 4 us, as predicted.") == []
    table = "| kernel | predicted |\n|---|---|\n| copy | 3 |"
    assert unmarked(table, table.replace("3", "4")) == [] and unmarked(table.replace("predicted", "time"), table.replace("3", "4"))
    assert unmarked("The time model predicts.\nIt takes 3 us.", "The time model predicts.\nIt takes 4 us.") == ["It takes 3 us."]
