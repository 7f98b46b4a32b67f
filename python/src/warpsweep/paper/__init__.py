"""``paper``: a folder with figures, tables and method of results files, as a LaTeX paper and a web page."""
from __future__ import annotations

import sys
from pathlib import Path

from ..errors import UsageError, WarpsweepError
from ..options import Arguments, Command, Option

FILES_MAX = 64


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


COMMAND = Command(
    "paper", "FILE.h5...", 1, FILES_MAX, "write all figures, tables and the method as a LaTeX paper and a web page",
    """Writes DIR/paper.tex with figures/, tables/ and sections/, which can be used in other papers.
pdflatex compiles it to paper.pdf (Debian and Ubuntu: texlive-latex-recommended texlive-science lmodern).
DIR/index.html shows the same and a table of all points; it loads nothing from the network.

The paper is made of what the files hold: their families, figures and findings. To change words, order or
layout, copy the folder analysis/, edit paper/sentences.txt, paper.tex, section.tex, index.html,
preamble.tex or page.css, and pass the copy with --analysis.

Equal files give equal output, except for figures/*.pdf, with the same versions of gnuplot and TeX
Live. DIR is complete, or it is not created.

--overwrite replaces and removes only files that .warpsweep-manifest in DIR lists and that are unchanged.
Your other files stay. If you changed a listed file, the command names it and changes nothing: move it,
because only you know which of both versions you need.

Exit code: 0; 1 if only paper.pdf is missing, with the reason on stderr.
""",
    "  warpsweep paper results.h5 -o paper\n"
    "  warpsweep paper hopper.h5 blackwell.h5 -o paper --title 'Two generations'\n",
    (Option("output", "o", "DIR", help="the folder to write"),
     Option("overwrite", help="replace the files that this command has made in DIR"),
     Option("title", value="TEXT", help="title of paper and page"),
     Option("no-compile", help="do not compile paper.tex"),
     Option("no-figures-pdf", help="remove figures/*.pdf after compiling, for a smaller folder"),
     Option("full", help="add an appendix with every table and figure to the paper"),
     Option("analysis", "", "DIR", help="folder of your own figures, with paper/"),
     Option("salvage", help="read files with wrong checksums; the paper says so")),
    run)
