"""The LaTeX paper: paper.tex and what it takes in, from templates, and pdflatex."""
from __future__ import annotations

import math
import os
import re
import subprocess
import zlib
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, Iterator

from .. import markup
from ..errors import WarpsweepError
from ..reports import method
from ..sheet import Document, Sheet, render
from .content import Paper, Section
from .page import release

PACKAGES = "texlive-latex-recommended texlive-science lmodern"  # of Debian: programs and styles that a paper needs
SECONDS = 300  # limit for one pass, which takes a few
PAGE_LINES = 58  # of a table that takes a page; a longer one goes on in another
LETTERS = {True: 62, False: 46}  # that fit in a line of a table's wrapping columns, by width
LATEX = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]


def file_name(text: str) -> str:
    """A name as it is if it is safe, else with a checksum: names of own families can hold anything."""
    if re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,62}", text):
        return text
    return re.sub(r"[^A-Za-z0-9_-]", "-", text[:24]) + f"-{zlib.crc32(text.encode()):08x}"


def pages(sheet: Sheet) -> Iterator[Sheet]:
    """The table in parts of at most a page: name, name-2 and so on."""
    wrapping = [at for at, head in enumerate(sheet.heads) if head.kind == "wraps"]
    letters = LETTERS[sheet.wide] / max(1, len(wrapping))
    page, lines = 0, PAGE_LINES
    part: list[Any] = []
    for row in sheet.rows:
        needed = max([1, *(math.ceil(len(str(row[at] or "")) / letters) for at in wrapping)])
        if part and needed > lines:
            yield replace(sheet, rows=part, name=sheet.name + (f"-{page + 1}" if page else ""))
            page, lines, part = page + 1, PAGE_LINES, []
        part.append(row)
        lines -= needed
    if part:
        yield replace(sheet, rows=part, name=sheet.name + (f"-{page + 1}" if page else ""))


def write(paper: Paper, analysis: Path, folder: Path, full: bool) -> None:
    """Write paper.tex, references.bib, sections/NAME.tex and tables/NAME.tex into a folder whose figures are drawn."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(analysis / "paper"), undefined=jinja2.StrictUndefined, autoescape=False,
        variable_start_string="<<", variable_end_string=">>", block_start_string="<%", block_end_string="%>",
        comment_start_string="<#", comment_end_string="#>", trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True)
    environment.filters.update(tex=markup.latex, file=file_name)
    section = environment.get_template("section.tex")
    for name in ("sections", "tables"):
        (folder / name).mkdir()

    def put(one: Section) -> None:
        _write(folder / "sections" / f"{file_name(one.key)}.tex", section.render(section=one))
        for part in one.parts:
            put(part)

    for one in [Section("abstract", "", [" ".join(paper.abstract)]), *paper.sections]:
        put(one)
    files = StringIO()
    for results in paper.study.files:
        method.print_method(Document("latex", files), results)
    _write(folder / "sections" / "files.tex", files.getvalue())
    for sheet in (sheet for one in paper.sections for sheet in one.all_tables()):
        for page in pages(sheet):
            _write(folder / "tables" / f"{file_name(page.name)}.tex", render(page, "latex", "paper"))
    _write(folder / "references.bib", method.bibtex())
    _write(folder / "paper.tex", environment.get_template("paper.tex").render(
        paper=paper, full=full, release=release(), pages=pages,
        preamble=(analysis / "paper" / "preamble.tex").read_text("utf-8")))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def compile(folder: Path, seconds: int) -> None:
    """Compile FOLDER/paper.tex and remove TeX's other files except paper.bbl.

    seconds  date of the PDF since 1970, for reproducible output; -1: now
    WarpsweepError: no pdflatex, a missing package, an error of TeX; paper.log stays.
    """
    # Paranoid: TeX opens no file by an absolute path, above the folder, or with a dot before its name.
    settings = {**os.environ, "max_print_line": "1000", "openin_any": "p", "openout_any": "p"}
    if seconds >= 0:
        settings.update(SOURCE_DATE_EPOCH=str(seconds), FORCE_SOURCE_DATE="1")
    draft = [*LATEX, "-draftmode", "paper.tex"]
    for words in (draft, ["bibtex", "paper"], draft, [*LATEX, "paper.tex"]):
        try:
            done = subprocess.run(words, cwd=folder, env=settings, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=SECONDS)
        except FileNotFoundError as error:
            raise WarpsweepError(f"no {words[0]} in PATH: on Debian or Ubuntu, apt-get install {PACKAGES}") from error
        except subprocess.TimeoutExpired as error:
            raise WarpsweepError(f"{words[0]} took more than {SECONDS} s") from error
        if done.returncode:
            raise WarpsweepError(_explain(folder, f"{words[0]} exited with status {done.returncode}"))
    for ending in ("aux", "log", "out", "blg"):
        (folder / f"paper.{ending}").unlink(missing_ok=True)


def _explain(folder: Path, otherwise: str) -> str:
    """TeX's error message is the first line of the log that begins with "!"."""
    log = folder / "paper.log"
    wrong = re.search(r"^! (.*)$", log.read_text("utf-8", "replace") if log.exists() else "", re.M)
    if not wrong:
        return otherwise
    hint = f"; on Debian or Ubuntu: apt-get install {PACKAGES}" if "not found" in wrong[1] else ""
    return f"paper.tex does not compile: {wrong[1][:300]}{hint}"
