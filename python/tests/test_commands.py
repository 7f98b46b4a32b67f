"""Command lines as a user types them: exit code and words, for each row of commands.txt, in one process."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from conftest import ROOT

import warpsweep
from warpsweep import errors, packages
from warpsweep.__main__ import COMMANDS, command, main
from warpsweep.options import REQUIRED

ROWS = [line.split(" | ", 2) for line in (pathlib.Path(__file__).parent / "commands.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")]


@pytest.fixture(scope="module")
def folder(program, make_results, tmp_path_factory):
    """s.h5 is synthetic, f.h5 a run of job.yaml on the fake back end, zero.h5 one of a share without points, p0.h5 has no times."""
    folder = tmp_path_factory.mktemp("made of commands")
    (folder / "job.yaml").write_text("sweeps:\n  - kernel: copy\n    axes: {stride: [1, 2], vector: [1, 16]}\n")
    (folder / "rubbish.h5").write_text("rubbish\n")
    subprocess.run([make_results, "s.h5"], cwd=folder, check=True)
    for words in (["run", "--backend", "fake", "-o", "f.h5"], ["run", "--backend", "fake", "-o", "zero.h5", "--share", "9/9"],
                  ["points", "--only", "stride=1", "--profile", "b200", "-o", "p0.h5"]):
        subprocess.run([program, words[0], "job.yaml", *words[1:]], cwd=folder, check=True,
                       capture_output=True, env={**os.environ, "WARPSWEEP_CACHE": str(folder / "cache")})
    return folder


@pytest.mark.parametrize("words, code, text", ROWS, ids=[row[0] for row in ROWS])
def test_command(words, code, text, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    assert main(shlex.split(words)) == int(code)
    out, errors = capfd.readouterr()
    assert text in out + errors and "Traceback" not in errors
    assert not errors or code != "2" or errors.startswith("warpsweep: ") and errors.count("\n") == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_a_fault_is_no_verdict(name, monkeypatch, capfd):
    """Whatever is unforeseen ends with 3 and one line; -v adds where."""
    operands = ["x"] * COMMANDS[name].minimum
    operands += [f"--{one.name}=x" for one in COMMANDS[name].options if one.default == REQUIRED]

    def start(*_):
        raise KeyError("of a colleague\nand more")
    monkeypatch.setattr(type(COMMANDS[name]), "start", start)
    assert main([name, *operands]) == 3
    assert re.fullmatch(rf"warpsweep: {name}: internal error: KeyError: .* \(test_commands.py:\d+\); -v .*\n", capfd.readouterr().err)
    assert main([name, *operands, "-v"]) == 3
    assert capfd.readouterr().err.startswith("Traceback")
    for error, code in ((MemoryError(), 3), (errors.ProgramError("killed", -9), 3), (errors.ProgramError("points failed", 1), 3),
                        (errors.ProgramError("no such kernel", 2), 2), (OSError(28, "No space left on device"), 3)):
        monkeypatch.setattr(type(COMMANDS[name]), "start", lambda *_, error=error: (_ for _ in ()).throw(error))
        assert main([name, *operands]) == code
        said = capfd.readouterr().err
        assert said.count("\n") == 1
    assert said == "warpsweep: cannot write the output: No space left on device\n"


def test_texts_are_held_plainly(small, capfd):
    """Whatever pandas takes by itself where there is pyarrow."""
    import pandas
    pandas.reset_option("mode.string_storage")
    assert main(["table", str(small), "-n", "1"]) == 0 and capfd.readouterr().out
    assert pandas.get_option("mode.string_storage") == "python"


def test_packages_are_those_that_pip_installs(monkeypatch):
    project = (ROOT / "python/pyproject.toml").read_text()
    assert f'requires-python = ">={".".join(map(str, warpsweep.PYTHON))}"' in project
    packages.check(load=True)
    import pandas
    monkeypatch.setattr(pandas, "__version__", "1.4.9+local")
    with pytest.raises(errors.PackageError, match="needs pandas [0-9.]+ or newer, not 1.4.9"):
        packages.check()


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name, capsys):
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"Usage: warpsweep {name} " in text and f"\n  warpsweep {name} " in text.partition("\nExamples:")[2]


def test_the_list_of_the_program_says_what_the_commands_say(program):
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    told = dict(re.findall(r"^  (\w+) +(\S.*)$", said, re.M))
    assert {name: told[name] for name in COMMANDS} == {
        name: command.help.splitlines()[0].partition(" - ")[2] for name, command in COMMANDS.items()}


def test_show_has_the_bounds_of_the_report(paper, program, capfd):
    main(["report", "--bounds", str(paper)])
    rows = re.findall(r"^\| ([0-9.]+) \| [^|]* \| [^|]* \| ([a-z0-9]+)(?:, then [a-z0-9]+)? \| [^|]* \| ([0-9a-f]{16}) \|",
                      capfd.readouterr().out, re.M)
    assert len(rows) > 5
    for ratio, bound, point in rows[:1]:
        assert main(["show", point, str(paper)]) == 0
        shown = capfd.readouterr().out
        assert re.search(f"^  bound +{bound} ", shown, re.M) and re.search(f"^  measured / predicted +{ratio} ", shown, re.M)
        assert not re.search("^  bound[a-z_]* +none", shown, re.M)


EXAMPLES = [line.strip() for name in COMMANDS for line in command(name).help.partition("\nExamples:\n")[2].splitlines() if line.startswith("  warpsweep")]


@pytest.fixture(scope="module")
def examples(program, tmp_path_factory):
    """A folder with all files that the examples name."""
    there, data = tmp_path_factory.mktemp("examples"), ROOT / "analysis/data"
    (there / "jobs").symlink_to(ROOT / "jobs")
    for name, of in (("results", "h200-copy"), ("h100", "h100-copy"), ("h200", "h200-copy"), ("hopper", "h100-copy"),
                     ("blackwell", "h200-copy"), ("before", "h200-copy"), ("after", "h200-copy-again"),
                     ("h200-profile", "h200-profile"), ("h200-links", "h200-links"), ("h200-tensor", "h200-tensor"), ("node17", "h200-judge"), ("good1", "h200-runs/unit1-copy"),
                     ("good2", "h200-runs/unit2-copy"), ("cluster", "h200-copy"),
                     ("paper", "h200-copy"), ("again", "h200-copy-again")):
        (there / f"{name}.h5").symlink_to(data / f"{of}.h5")
    return there


@pytest.mark.parametrize("line", [line for line in EXAMPLES if line.split()[1] in COMMANDS and "pairs.h5" not in line])
def test_example(line, examples, monkeypatch, capfd):
    """Every example of --help runs. What a shell does behind ``|``, ``>`` or ``#`` is left out, and so is LaTeX."""
    monkeypatch.chdir(examples)
    words = [found for word in shlex.split(re.split(r" [|>#]", line)[0])
             for found in (sorted(map(str, pathlib.Path().glob(word))) if "*" in word else [word])]
    if words[1] == "paper":
        shutil.rmtree("paper", ignore_errors=True)
    if "plot" in words and not shutil.which("gnuplot"):
        pytest.skip("there is no gnuplot")
    code = main(words[1:])
    out, errors = capfd.readouterr()
    assert code < 2 and (out or errors), errors
