"""Artifacts: complete, checked by the readers that they carry, and each kind of change is found."""
import getpass
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import planted
import pytest
from conftest import ROOT

pytest.importorskip("jinja2")
from warpsweep import results  # noqa: E402
from warpsweep.__main__ import main  # noqa: E402
from warpsweep.artifact import checking, kit  # noqa: E402
from warpsweep.artifact.appendix import TO_FILL, Measured, Metadata  # noqa: E402

FILE = ROOT / "analysis/data/h100-numerics.h5"
OPTIONS = ["--title", "A \"title\" & more", "--author", "Doe, Jo (A & B)", "--license", "CC-BY-4.0", "--doi", "10.5072/1", "--source", "https://x.invalid"]

if not shutil.which("gnuplot"):
    pytest.skip("no gnuplot", allow_module_level=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An artifact with all options."""
    folder = tmp_path_factory.mktemp("made") / "artifact"
    assert main(["artifact", str(FILE), "-o", str(folder), *OPTIONS]) == 0
    return folder


@pytest.fixture
def copy(made, tmp_path):
    return shutil.copytree(made, tmp_path / "copy")


def again(made, folder):
    """What follows from the results file, from where it was made."""
    shutil.copytree(made, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("readers", "results", "MANIFEST", "artifact.json"))


@pytest.fixture
def computed_once(made, monkeypatch):
    """What follows from the results file is made once: the first test makes it again."""
    def write(study, analysis, folder, about):
        assert about.metadata.title and about.files == [file.path.name for file in study.files] == [FILE.name]
        again(made, folder)
    monkeypatch.setattr(checking, "write_again", write)
    monkeypatch.setattr(checking, "Study", lambda files: SimpleNamespace(files=files, lacking={}))  # which it is made of


def seal(folder):
    """As somebody who changes a file does who knows of MANIFEST."""
    (folder / "MANIFEST").unlink()
    (folder / "MANIFEST").write_text(kit.manifest(folder))


def checked(folder, capsys):
    code, said = main(["artifact", "--check", str(folder)]), capsys.readouterr().out
    assert ("verdict: good:" in said) == (code == 0) and code in (0, 1)
    return code, said


def alone(folder, *words, **environment):
    """A script of the artifact, which sees nothing of this process and the tree but the small cache of a tested back end."""
    cache = {name: value for name, value in os.environ.items() if name == "WARPSWEEP_FAKE_CACHE"}
    packages = [path for path in os.environ.get("PYTHONPATH", "").split(":") if path != str(ROOT / "python/src")]
    return subprocess.run([folder / words[0], *words[1:]], cwd="/", capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHON": sys.executable, "PYTHONPATH": ":".join(packages),
                               **cache, **environment})


def test_it_is_complete_and_its_own_readers_say_so(made, tmp_path):
    folder = shutil.copytree(made, tmp_path / "moved here")
    done = alone(folder, "check", "-o", "again")
    assert done.returncode == 0 and "verdict: good: " in done.stdout, done.stdout + done.stderr
    assert (folder / "again/paper/figures/predicted.pdf").is_file()
    listed = subprocess.run(["sha256sum", "--quiet", "-c", "MANIFEST"], cwd=made, capture_output=True, text=True)
    assert listed.returncode == 0, listed.stdout
    assert len((made / "MANIFEST").read_text().splitlines()) == len(kit.files_of(made)) - 1
    assert (made / "results" / FILE.name).read_bytes() == FILE.read_bytes()
    assert (made / "jobs/h100-numerics.yaml").read_text() == results.read(FILE).job
    assert not list(made.rglob("__pycache__")) and not kit.unfilled(made)


def test_scripts_take_the_system_s_python_if_the_first_lacks_packages(made, tmp_path):
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)
    for named, code in (("", 0), (str(tmp_path / "python3"), 1)):
        assert alone(made, "check", "--help", PATH=f"{tmp_path}:/usr/bin:/bin", PYTHON=named).returncode == code


def test_metadata_are_those_of_the_options(made, tmp_path):
    zenodo, citation = json.loads((made / ".zenodo.json").read_text()), (made / "CITATION.cff").read_text()
    assert zenodo["creators"] == [{"name": "Doe, Jo", "affiliation": "A & B"}] and zenodo["license"] == "CC-BY-4.0"
    assert zenodo["title"] == 'Artifact of A "title" & more' and "at 140 points" in zenodo["description"]
    assert 'title: "Artifact of A \\"title\\" \\u0026 more"' in citation and 'doi: "10.5072/1"' in citation
    assert "MIT License" in (made / "LICENSE").read_text() and "CC-BY-4.0" in (made / "LICENSE").read_text()
    assert Metadata(None, ["Jo"], None, None, None).people == [{"name": "Jo"}]


def edit(path, pattern, new):
    text = path.read_text()
    changed = re.sub(pattern, new, text, count=1, flags=re.M)
    assert changed != text
    path.write_text(changed)


def flip(path):
    """A bit in the middle of the samples."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")


FAULTS = {
    "a byte of the results": (lambda folder: flip(folder / "results" / FILE.name), "results", FILE.name),
    "a number of a claim": (lambda folder: edit(folder / "claims.csv", r",(\d)(\d*\.\d+)", r",\g<1>1\2"), "claims", "claims.csv:2: has"),
    "a number of a table": (lambda folder: edit(folder / "paper/tables/vendors.tex", r"(\d)\.(\d)", r"\g<1>1.\2"), "tables", "vendors.tex:"),
    "a figure's data": (lambda folder: edit(folder / "paper/figures/predicted.tsv", r"^0\.0", "0.1"), "figures", "predicted.tsv:3: has"),
    "a sentence": (lambda folder: edit(folder / "paper/sections/abstract.tex", "140 points", "141 points"), "text", "abstract.tex:1: has"),
    "a figure that is missing": (lambda folder: (folder / "paper/figures/predicted.tsv").unlink(), "figures", "predicted.tsv is missing"),
    "a picture that is missing": (lambda folder: (folder / "paper/figures/predicted.pdf").unlink(), "figures", "predicted.pdf is missing"),
    "a figure too many": (lambda folder: shutil.copy(folder / "paper/figures/predicted.tsv", folder / "paper/figures/other.tsv"), "figures",
                          "other.tsv does not follow"),
    "claims that are missing": (lambda folder: (folder / "claims.csv").unlink(), "claims", "claims.csv is missing"),
    "the readme": (lambda folder: edit(folder / "README.md", "for the committee", "for a committee"), "others", "README.md:"),
    "the appendix": (lambda folder: edit(folder / "ad-ae.tex", "GPU: 1", "GPU: 2"), "others", "ad-ae.tex:"),
    "a script": (lambda folder: edit(folder / "measure", r"(--seed \d+)00", r"\g<1>01"), "others", "measure is not what"),
    "a job": (lambda folder: edit(folder / "jobs/h100-numerics.yaml", r"\Z", "\n"), "jobs", "h100-numerics.yaml is not what"),
    "an author": (lambda folder: edit(folder / ".zenodo.json", "Doe", "Roe"), "others", ".zenodo.json:"),
    "a source too many": (lambda folder: put(folder / "kernels/evil.c"), "kernels", "kernels/evil.c does not follow"),
    "a results file too many": (lambda folder: put(folder / "results/z.h5"), "results", "results/z.h5 is not one of"),
    "a text too many": (lambda folder: put(folder / "more.md"), "others", "more.md does not follow"),
    "results that are missing": (lambda folder: (folder / "results" / FILE.name).unlink(), "results", "no such file"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault, copy, computed_once, capsys):
    """By MANIFEST; and, in the part that it is in, where MANIFEST was made anew."""
    change, part, words = FAULTS[fault]
    change(copy)
    assert checking._files(copy)[1], "MANIFEST does not tell it"
    seal(copy)
    code, said = checked(copy, capsys)
    assert code == 1 and words in said, said
    lines = dict(line.split(" ", 1) for line in said.splitlines() if re.match(r"\w+ +\d+ files?: ", line))
    assert [name for name, rest in lines.items() if " fault" in rest] == [part], said


def test_what_the_steps_of_the_readme_make_is_no_fault(copy, computed_once, capsys):
    for name in ("paper/paper.pdf", "ad-ae.aux", "measured/q.h5", "again/claims.csv", "venv/bin/python3"):
        put(copy / name)
    code, said = checked(copy, capsys)
    assert code == 0 and "not of the artifact: again/, measured/, venv/" in said
    put(copy / "paper/other.pdf")
    assert "paper/other.pdf is not in MANIFEST" in checked(copy, capsys)[1]
    assert main(["artifact", "--check", str(copy / "paper")]) == 2 and "no artifact.json" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["jobs/h100-numerics.yaml", "README.md", "readers/warpsweep/results.py", "artifact.json"])
def test_a_line_that_is_taken_from_the_manifest_is_missed(name, copy, computed_once, capsys):
    edit(copy / "MANIFEST", rf"^\w+  {re.escape(name)}\n", "")
    code, said = checked(copy, capsys)
    assert code == 1 and f"{name} is not in MANIFEST" in said


@pytest.mark.parametrize("text", ["{", "[]", "{}", "\xff", '{"files": ["x.h5"]}', '{"release": 1, "files": [], "metadata": {}, "seconds": 1}'])
def test_a_damaged_list_of_files_is_not_good(text, copy, capsys):
    (copy / "artifact.json").write_text(text, "latin-1")
    code, said = checked(copy, capsys)
    assert code == 1 and "artifact.json is damaged, or of another release" in said and "verdict: not good" in said


def test_what_is_to_be_filled_in_may_be_and_nothing_else(tmp_path, capsys, monkeypatch):
    blind, before = tmp_path / "blind", tmp_path / "before"
    main(["artifact", str(FILE), "-o", str(blind)])
    shutil.copytree(blind, before)
    for name in (".zenodo.json", "LICENSE", "README.md", "ad-ae.tex"):
        (blind / name).write_text((blind / name).read_text().replace(TO_FILL, "10.5072/7"))
    seal(blind)
    assert checked(blind, capsys)[0] == 0  # all is made again
    monkeypatch.setattr(checking, "Study", lambda files: SimpleNamespace(lacking={}))
    monkeypatch.setattr(checking, "write_again", lambda study, analysis, folder, about: again(before, folder))
    edit(blind / "README.md", "Available: DOI", "Unavailable: DOI")
    seal(blind)
    code, said = checked(blind, capsys)
    assert code == 1 and "README.md:" in said


def test_a_folder_that_exists_is_refused_at_once(copy, capsys, monkeypatch):
    monkeypatch.setattr(checking, "_files", None)
    assert main(["artifact", "--check", str(copy), "-o", str(copy / "paper")]) == 2
    assert "not an empty folder" in capsys.readouterr().err


def test_numbers_may_be_rounded_otherwise_and_no_more():
    assert checking.same("a 1.0000001, -2e-3", "a 1.00000011, -0.002")
    assert not checking.same("a 1.00001", "a 1.00003") and not checking.same("a 1", "b 1") and not checking.same("1 2", "1")
    assert not checking.same("id 9d148", "id 9d149")


def test_the_appendix_compiles_alone_and_within_a_paper(made, tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("no pdflatex")
    shutil.copy(made / "ad-ae.tex", tmp_path)
    (tmp_path / "whole.tex").write_text("\\documentclass{article}\\begin{document}A paper.\\appendix\\input{ad-ae}\nThe end.\\end{document}\n")
    for name in ("ad-ae.tex", "whole.tex"):
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", name], cwd=tmp_path,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:]


def test_what_a_file_does_not_hold_is_not_recorded(made):
    assert "measure again, on GPUs" in (made / "README.md").read_text()
    text = (made / "ad-ae.tex").read_text()
    assert "processor: not recorded" in text and "distribution: not recorded" in text and "Artifact Execution: less than 1 " in text and "nan" not in text.lower().split()


@pytest.mark.parametrize("rows, again", [
    ({}, "run jobs/x.yaml --backend cuda --seed 7"),
    ({"command": "warpsweep run --set 'size={from: 1, to: 4}' --count=none -o /home/me/x.h5 -v"}, "run jobs/x.yaml --backend cuda --seed 7 --counters none"),
    ({"command": "warpsweep run j.yaml --counters memory --resume", "energy": "yes"}, "run jobs/x.yaml --backend cuda --seed 7 --energy --counters memory"),
    ({"pairs": "variant load gridstride"}, "run jobs/x.yaml --backend cuda --seed 7 --pair variant=load,gridstride"),
    ({"pairs": "version a b"}, "run jobs/x.yaml --backend cuda --seed 7"),
    ({"command": "warpsweep run 'j.yaml"}, "run jobs/x.yaml --backend cuda --seed 7"), ({"backend": "predicted"}, ""),
    ({"anonymous": "yes"}, "run jobs/x.yaml --backend cuda --seed 7 --anonymous")])
def test_a_command_is_repeated_without_what_was_of_one_launch(rows, again):
    class File:
        stem, path, job = "x", Path("x.h5"), "sweeps:"
        environment = pd.DataFrame([(1.0, *row) for row in rows.items()], columns=["run", "name", "value"])

        @staticmethod
        def env(name):
            return {"backend": "cuda", "seed": "7", **rows}.get(name)
    assert Measured(1, File, [], []).command == again


def test_own_families_are_measured_again_and_nobody_is_named(program, tmp_path, capsys):
    """A run --anonymous of families in Python, from a folder with a telling name, with options; measured again by the artifact, whose
    metadata no option gave."""
    pytest.importorskip("numpy")
    home = tmp_path / "home-of-xavier"
    shutil.copytree(ROOT / "examples/python", home / "own")
    environment = {"WARPSWEEP_PYTHON": sys.executable, "WARPSWEEP_CACHE": str(tmp_path / "cache")}
    subprocess.run([program, "run", home / "own/job.yaml", "--kernels", home / "own", "--set", "columns=64,128", "--set", "timing.max_time=5ms",
                    "--set", "timing.min_samples=3", "--backend", "host", "--anonymous", "-o", home / "x.h5"], check=True, capture_output=True,
                   env={**os.environ, **environment})
    folder = tmp_path / "artifact"
    assert main(["artifact", str(home / "x.h5"), "-o", str(folder)]) == 0
    assert (folder / "kernels/x/softmax.py").read_bytes() == (home / "own/softmax.py").read_bytes()
    assert "kernels/x" in (folder / "ad-ae.tex").read_text()
    assert "fill in what no option gave" in capsys.readouterr().out
    assert kit.unfilled(folder) == [".zenodo.json", "CITATION.cff", "LICENSE", "README.md", "ad-ae.tex"]
    assert json.loads((folder / ".zenodo.json").read_text())["creators"] == [{"name": TO_FILL}]
    for path in (path for path in kit.files_of(folder) if "readers" not in path.parts):
        text = path.read_bytes().decode("utf-8", "replace")
        assert "xavier" not in text and str(tmp_path) not in text, path
        for word in (socket.gethostname(), getpass.getuser()):
            assert len(word) < 5 or not re.search(rf"\b{re.escape(word)}\b", text), (path, word)
    moved = shutil.move(folder, tmp_path / "elsewhere")
    done = alone(moved, "measure", WARPSWEEP=program, **environment)
    old, new = (results.read(path) for path in (moved / "results/x.h5", moved / "measured/x.h5"))
    assert {*new.rows["id"]} == {*old.rows["id"]} and (new.rows["status"] == "ok").all(), done.stdout + done.stderr
    assert done.returncode in (0, 1) and "comparable claims are reproduced" in done.stdout, done.stdout + done.stderr
    assert new.env("seed") == old.env("seed") and new.env("backend") == "host" and new.env("anonymous") == "yes"


def test_what_was_not_measured_claims_nothing(program, tmp_path, capsys):
    """A predicted file: nothing to measure again, and a check all the same."""
    subprocess.run([program, "predict", "--kernel", "copy", "--set", "stride=1,2", "--set", "size=64MiB", "--profile", "b200", "-o", tmp_path / "x.h5"],
                   check=True, capture_output=True)
    assert main(["artifact", str(tmp_path / "x.h5"), "-o", str(tmp_path / "a")]) == 0
    assert "the paper has no claims" in capsys.readouterr().err
    assert checked(tmp_path / "a", capsys)[0] == 0 and len((tmp_path / "a/claims.csv").read_text().splitlines()) == 1
    assert "its times were predicted" in (tmp_path / "a/ad-ae.tex").read_text()
    assert "run" not in (tmp_path / "a/measure").read_text().partition("failed()")[2].split()
    done = alone(tmp_path / "a", "measure", WARPSWEEP=program)
    assert done.returncode == 2 and "nothing was measured" in done.stderr


def run(program, path, *words, fake="sleep=1ms"):
    """Two points of the fake back end."""
    subprocess.run([program, "run", "--kernel", "copy", "--set", "size=1MiB", "--set", "stride=1,2", "--backend", "fake", "-o", path, *words],
                   capture_output=True, env={**os.environ, "WARPSWEEP_FAKE": fake})
    return str(path)


@pytest.mark.parametrize("kind", ["cuda", "call"])
def test_a_family_in_c_is_compiled_by_measure(kind, program, tmp_path, capsys, monkeypatch):
    if not shutil.which("cc"):
        pytest.skip("no cc")
    subprocess.run([program, "init", "mine", "--type", kind], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["./compile"], cwd=tmp_path / "mine", check=True, env={**os.environ, "WARPSWEEP_HEADERS": str(ROOT / "src"), "NVCC": "none"})
    subprocess.run([program, "run", "mine/job.yaml", "--kernels", "mine", "--backend", "host", "--set", "timing.max_time=5ms", "-o", "x.h5"],
                   cwd=tmp_path, check=True, capture_output=True)
    folder = tmp_path / "artifact"
    assert main(["artifact", str(tmp_path / "x.h5"), "-o", str(folder)]) == 0
    capsys.readouterr()
    command = "cc -std=gnu17 -shared -fPIC -I CLONE/src kernels/x/mine.c -o kernels/x/mine.so"
    assert f"    {command}\n" in (folder / "README.md").read_text() and f"{command}}}" in (folder / "ad-ae.tex").read_text()
    readme = (folder / "README.md").read_text()
    assert ("call launch functions" in (folder / "README.md").read_text()) == (kind == "call")
    assert "NVRTC" not in (folder / "ad-ae.tex").read_text()
    assert "measure again, without a GPU" in readme and "again, on GPUs" not in readme and "kernels/," in (folder / "LICENSE").read_text()
    done = alone(folder, "measure", WARPSWEEP=program, CC="false")
    assert done.returncode == 3 and command in done.stderr and not (folder / "measured/x.h5").exists()
    done = alone(folder, "measure", WARPSWEEP=program, WARPSWEEP_HEADERS=str(ROOT / "src"))
    assert (results.read(folder / "measured/x.h5").rows["status"] == "ok").all(), done.stdout + done.stderr
    assert checked(folder, capsys)[0] == 0
    monkeypatch.setattr(checking, "write_again", lambda *_: None)  # of MANIFEST alone
    put(folder / "kernels/x/other.so")
    assert "kernels/x/other.so is not in MANIFEST" in checked(folder, capsys)[1]


def test_nothing_to_claim_is_refused(program, tmp_path, capsys, monkeypatch):
    failed, some = run(program, tmp_path / "failed.h5", fake="fail:size=1048576"), run(program, tmp_path / "some.h5", fake="fail:stride=2")
    none = run(program, tmp_path / "none.h5", "--share", "8/8")
    assert not len(results.read(none).rows)
    for files, words in (([failed], "no point of the results files is ok"), ([none], "none.h5 has no rows"), ([some, none], "none.h5 has no rows")):
        assert main(["artifact", *files, "-o", str(tmp_path / "a")]) == 2
        assert words in capsys.readouterr().err and not (tmp_path / "a").exists()
    assert main(["artifact", some, "-o", str(tmp_path / "a")]) == 0
    said, readme = capsys.readouterr().err, (tmp_path / "a/README.md").read_text()
    assert "1 point of" in said and "fake back end" in said
    assert "Failed points of `some.h5`: 1." in readme and "fake back end" in readme and "kernels/" not in (tmp_path / "a/LICENSE").read_text()
    monkeypatch.chdir(tmp_path / "a")
    for words in re.findall("-m warpsweep ([^`]+)`", readme):  # what a reader is told to run
        assert main(words.split()) == 0 and capsys.readouterr().out.count("\n") > 1, words


def test_what_a_file_lacks_is_said(program, tmp_path, capsys):
    """Of a run that was killed, and whose journal was left behind; and of points that failed."""
    path, failed = run(program, tmp_path / "x.h5"), run(program, tmp_path / "y.h5", fake="fail:stride=2")
    environment = planted.table(path, "environment")
    planted.rewritten(path, environment=environment[[not name.startswith(b"verdict") for name in environment["name"]]])
    words = "x.h5 is not good (not_closed: the run was killed, and the journal with its last results is missing"
    assert main(["report", path, failed]) == 0
    said = capsys.readouterr()
    assert words in said.out and "y.h5 is not good (failed: 1 point)." in said.out and "copy FILE.h5.journal" in said.err
    assert main(["paper", path, "-o", str(tmp_path / "paper")]) == 0 and words in capsys.readouterr().err
    assert words in (tmp_path / "paper/sections/abstract.tex").read_text().replace("\\_", "_")
    assert main(["artifact", path, "-o", str(tmp_path / "artifact")]) == 0 and words in capsys.readouterr().err
    code, said = checked(tmp_path / "artifact", capsys)
    assert code == 0 and words in said


def test_a_ratio_of_devices_is_said_to_count_for_both_files(program, tmp_path, made):
    files = [run(program, tmp_path / name) for name in ("x.h5", "y.h5")]
    assert main(["artifact", *files, "-o", str(tmp_path / "a")]) == 0
    for name in ("README.md", "ad-ae.tex"):
        assert "a ratio of devices is of both files" in (tmp_path / "a" / name).read_text()
        assert "of both files" not in (made / name).read_text()


def test_the_readme_says_how_many_devices_and_ranks(program, tmp_path):
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    subprocess.run(["mpirun", "-n", "2", program, "run", "--kernel", "copy", "--set", "size=1MiB", "--backend", "fake", "-o", tmp_path / "x.h5"],
                   check=True, capture_output=True, env={**os.environ, "WARPSWEEP_FAKE": "sleep=1ms"})
    count = len(results.read(tmp_path / "x.h5").devices)
    assert main(["artifact", str(tmp_path / "x.h5"), "-o", str(tmp_path / "a")]) == 0
    readme = (tmp_path / "a/README.md").read_text()
    assert f"| {count}: fake" in readme and f"2 ranks by `mpirun -n 2 warpsweep run ...`: call it where MPI sees its {count} device" in readme


@pytest.mark.parametrize("option, text", [("--doi", "x"), ("--doi", "10.1/x"), ("--doi", "10.5072/"), ("--doi", "https://doi.org/10.5072/1"),
                                          ("--author", ""), ("--author", " (A University)"), ("--license", " "), ("--title", "")])
def test_an_option_that_says_nothing_is_refused(option, text, tmp_path, capsys):
    assert main(["artifact", str(FILE), "-o", str(tmp_path / "a"), option, text]) == 2
    assert option in capsys.readouterr().err and not (tmp_path / "a").exists()


def test_names_of_results_files_must_differ(tmp_path, capsys):
    for at, name in enumerate(("h200-numerics", "h200-mma")):
        (tmp_path / str(at)).mkdir()
        shutil.copy(ROOT / f"analysis/data/{name}.h5", tmp_path / str(at) / "x.h5")
    assert main(["artifact", *(str(tmp_path / at / "x.h5") for at in "01"), "-o", str(tmp_path / "a")]) == 2
    assert "different names" in capsys.readouterr().err and not (tmp_path / "a").exists()
