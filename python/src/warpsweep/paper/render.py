"""A paper as LaTeX and as a web page, from the templates of analysis/paper."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

from ..gnuplot import environment
from ..latex import latex as escaped
from ..latex import refuse_unknown
from ..program import shipped
from ..sheet import render, shown
from ..units import symbol
from .content import Paper


def file_name(text: str) -> str:
    """A name as it is if it is safe, else with a checksum: names of own families can hold anything."""
    if re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,62}", text):
        return text
    return re.sub(r"[^A-Za-z0-9_-]", "-", text[:24]) + f"-{zlib.crc32(text.encode()):08x}"


def release() -> str:
    return shipped("VERSION").read_text().strip()


def latex_templates(folder: Path) -> Any:
    """Templates of LaTeX, where braces and % have a meaning."""
    latex = environment(
        folder,
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
    )
    latex.filters.update(tex=escaped, file=file_name)
    return latex


def write_latex(paper: Paper, analysis: Path, folder: Path, full: bool) -> str:
    """Write paper.tex, references.bib, sections/ and tables/ beside the drawn figures; returns the references."""
    latex = latex_templates(analysis / "paper")
    measured = [
        (file.env("release") or "unknown", (file.env("commit") or "unknown")[:12])
        for file in paper.study.files
    ]
    releases = [f"Release {name}, commit {commit}" for name, commit in dict.fromkeys(measured)]
    named = {"paper": paper, "full": full, "release": release(), "releases": releases}
    files = {
        name: latex.get_template(name).render(named) for name in ("references.bib", "paper.tex")
    }
    files["sections/abstract.tex"] = escaped(" ".join(paper.abstract)) + "\n"
    for one in (one for section in paper.sections for one in section.whole):
        files[f"sections/{file_name(one.key)}.tex"] = latex.get_template("section.tex").render(
            section=one
        )
        for sheet in one.tables:
            files[f"tables/{file_name(sheet.name)}.tex"] = render(sheet, "latex", alone=True)
    captions = [part.read_text("utf-8") for part in (folder / "figures").glob("*.tex")]
    if "fontspec" not in files["paper.tex"]:  # a template of the user's own, with fonts of its own
        for text in (*files.values(), *captions):
            refuse_unknown(text)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return str(files["references.bib"])


def write_page(paper: Paper, analysis: Path, folder: Path, bibtex: str) -> None:
    """Write index.html into a folder whose figures are drawn."""
    page = environment(analysis / "paper", autoescape=True)
    page.filters.update(file=file_name, symbol=symbol)
    page.globals["shown"] = shown
    (folder / "index.html").write_text(
        page.get_template("index.html").render(
            paper=paper,
            release=release(),
            style=(analysis / "paper/page.css").read_text("utf-8"),
            bibtex=bibtex,
        ),
        encoding="utf-8",
    )
