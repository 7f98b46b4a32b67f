"""``paper``: a folder with figures, tables and method of results files, as a LaTeX paper and a web page."""

from __future__ import annotations

import sys
from pathlib import Path

from ..errors import NoDataError, UsageError
from ..identity import without_copies
from ..options import Arguments
from ..program import shipped
from ..results import read
from ..units import plural
from . import content, drawing, render
from .folder import output
from .saying import Say
from .study import Study


def run(arguments: Arguments) -> int:
    """Write the folder."""
    folder, analysis = arguments.text("output"), templates(arguments.text("analysis"))
    if not folder:
        raise UsageError("paper needs a folder to write: -o DIR")
    with output(folder) as made:
        study = Study(without_copies([read(path) for path in arguments.operands]))
        paper, figures = write(
            study, analysis, made, arguments.text("title"), full=arguments.given("full")
        )
    for name, verdict in study.lacking.items():
        print(f"warpsweep: warning: {name} is {verdict}", file=sys.stderr)
    if paper.missing:
        skipped = plural(len(paper.missing), "figure")
        print(
            f"skipped, without data for them: {skipped}; -v and index.html list them with reasons"
        )
    if arguments.given("verbose"):
        print("\n".join(f"skipped {one.name}: {one.reason}" for one in paper.missing))
    print(
        f"{folder}/index.html: {plural(len(figures) - len(paper.missing), 'figure')}, {plural(len(study.shown), 'point')}"
    )
    print(f"{folder}/paper.tex: latexmk -pdf paper.tex compiles it")
    if not len(study.shown):
        raise NoDataError("the paper has no result: no point of the results files is ok")
    return 0


def templates(given: str | None) -> Path:
    """The folder of figures and templates: the user's own, or the one that ships with the package."""
    analysis = Path(given or shipped("analysis")).resolve()
    if not (analysis / "paper" / "sentences.txt").is_file():
        raise UsageError(f"cannot read paper/sentences.txt in {analysis}, the folder of figures")
    return analysis


def write(
    study: Study,
    analysis: Path,
    folder: Path,
    title: str | None,
    *,
    full: bool = False,
    data: bool = False,
) -> tuple[content.Paper, list[drawing.Drawn]]:
    """Write a paper and its page into an empty folder. ``data``: beside each figure what gnuplot draws it from."""
    figures = drawing.draw(study, analysis, folder / "figures", data=data)
    paper = content.make(study, Say(study, analysis), figures, title)
    bibtex = render.write_latex(paper, analysis, folder, full)
    render.write_page(paper, analysis, folder, bibtex)
    return paper, figures
