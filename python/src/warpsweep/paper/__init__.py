"""``paper``: a folder with figures, tables and method of results files, as a LaTeX paper and a web page."""
from __future__ import annotations

import sys
from pathlib import Path

from ..errors import UsageError, WarpsweepError
from ..options import Arguments, Command, Option
from ..plots import shipped_folder

FILES_MAX = 64


def run(arguments: Arguments) -> int:
    """Write the folder. 1: only paper.pdf is missing."""
    folder, analysis = arguments.text("output"), Path(arguments.text("analysis") or shipped_folder()).resolve()
    if not folder:
        raise UsageError("paper needs a folder to write: -o DIR")
    if not (analysis / "paper" / "sentences.txt").is_file():
        raise WarpsweepError(f"cannot read paper/sentences.txt in {analysis}, the folder of figures")
    from ..pairing import without_copies
    from ..reports import plural
    from ..results import read
    from . import content, drawing, render
    from .folder import output
    from .study import Study

    failed = ""
    with output(folder, arguments.given("overwrite")) as made:
        study = Study(without_copies([read(path) for path in arguments.operands]))
        figures = drawing.draw(study, analysis, made / "figures")
        paper = content.make(study, content.sentences(study, analysis), figures, arguments.text("title"))
        bibtex = render.write_latex(paper, analysis, made, arguments.given("full"))
        try:
            if not arguments.given("no-compile"):
                render.compile_latex(made, paper.seconds)
        except WarpsweepError as error:  # everything else is complete
            failed = f"warpsweep: no paper.pdf: {error}"
        render.write_page(paper, analysis, made, bibtex)
    print(failed, file=sys.stderr, end="\n" if failed else "")
    for figure in paper.missing:
        print(f"skipped {figure.name}: {figure.reason}")
    print(f"{folder}/index.html: {plural(len(figures) - len(paper.missing), 'figure')}, "
          f"{plural(len(study.points), 'point')}")
    if Path(folder, "paper.pdf").exists():
        print(f"{folder}/paper.pdf: compiled from paper.tex")
    return 1 if failed else 0


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
     Option("title", "t", "TEXT", help="title of paper and page"),
     Option("no-compile", help="do not compile paper.tex"),
     Option("full", help="add an appendix with every table and figure to the paper"),
     Option("analysis", "", "DIR", help="folder of your own figures, with paper/")),
    run)
