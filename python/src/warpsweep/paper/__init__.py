"""``paper``: a folder with figures, tables and method of results files, as a LaTeX paper and a web page."""
from __future__ import annotations

import sys
from pathlib import Path

from ..errors import UsageError, WarpsweepError
from ..options import Arguments



def run(arguments: Arguments) -> int:
    """Write the folder. 1: only paper.pdf is missing."""
    folder = arguments.text("output")
    if not folder:
        raise UsageError("paper needs a folder to write: -o DIR")
    from .folder import Output

    output = Output(folder, arguments.given("overwrite"))
    analysis = find_analysis(arguments.text("analysis"))
    from ..pairing import without_copies
    from ..reports import plural
    from ..results import read
    from . import content, drawing, render
    from .study import Study

    study = Study(without_copies([read(path, salvage=arguments.given("salvage")) for path in arguments.operands]))
    unverified = "; ".join(f"wrong checksum of /{', /'.join(file.unverified)} in {file.path.name}"
                           for file in study.files if file.unverified)
    compiled, figures_pdf = False, True
    with output:
        figures = drawing.draw(study, analysis, output.made / "figures")
        paper = content.make(study, content.sentences(study, analysis), figures, arguments.text("title"), unverified)
        render.write_latex(paper, analysis, output.made, arguments.given("full"))
        if not arguments.given("no-compile"):
            try:
                render.compile_latex(output.made, paper.seconds)
                compiled = True
            except WarpsweepError as error:  # everything else is complete
                print(f"warpsweep: no paper.pdf: {error}", file=sys.stderr)
        if compiled and arguments.given("no-figures-pdf"):
            figures_pdf = False
            for path in (output.made / "figures").glob("*.pdf"):
                path.unlink()
        render.write_page(paper, analysis, output.made, compiled, figures_pdf, unverified)
        output.put()
    for figure in paper.missing:
        print(f"skipped {figure.name}: {figure.reason}")
    print(f"{folder}/index.html: {plural(len(figures) - len(paper.missing), 'figure')}, "
          f"{plural(len(study.points), 'point')}")
    if compiled:
        print(f"{folder}/paper.pdf: compiled from paper.tex")
    return 0 if compiled or arguments.given("no-compile") else 1


def find_analysis(named: str | None) -> Path:
    """The folder of figures with paper/, given or shipped."""
    from ..plots import shipped_folder

    folder = Path(named or shipped_folder())
    if not (folder / "paper" / "sentences.txt").is_file():
        raise WarpsweepError(f"cannot read paper/sentences.txt in {folder}, the folder of figures")
    return folder.resolve()
