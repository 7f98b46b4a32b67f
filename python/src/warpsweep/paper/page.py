"""index.html: all of a paper on one page that needs nothing else."""
from __future__ import annotations

import base64
import hashlib
import html
import re
from io import StringIO
from pathlib import Path

from ..reports import method
from ..sheet import Document, Sheet, render
from .content import Paper
from .study import Study
from . import tables

QUANTITIES = ("status", "time_median", "time_ci_low", "time_ci_high", "bandwidth", "bandwidth_low", "bandwidth_high",
              "flop_rate", "latency_p50", "roof", "fraction_peak")


def release() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("warpsweep")
    except PackageNotFoundError:  # run from the source tree, or from a prefix
        return (Path(__file__).resolve().parents[3] / "VERSION").read_text().strip()


def csv(study: Study) -> str:
    """A header and one line per point and device, of the points in the table: id, kernel, all axes, device, status,
    then raw SI numbers with their names in the results file. What is missing is empty. RFC 4180 but for the line ends."""
    shown = study.points["id"].head(tables.POINTS_MAX)
    quantities = [name for name in QUANTITIES if name in study.rows]
    rows = study.rows[study.rows["id"].isin(set(shown))]
    out = rows[["id", "kernel", *study.axes]].assign(device=rows[".label"])
    for name in quantities:
        out[name] = rows[name]
    whole = [name for name in [*study.axes, *quantities] if study.columns[name].type == "integer"]
    out = out.astype({name: "Int64" for name in whole})
    return out.to_csv(index=False, lineterminator="\n")


def files(paper: Paper) -> str:
    """The method of each file as HTML."""
    out = StringIO()
    for results in paper.study.files:
        method.print_method(Document("md", out), results)
    return _html(out.getvalue())


def _html(markdown: str) -> str:
    """The few parts of a Document: headings, items and paragraphs."""
    parts = []
    for block in markdown.strip().split("\n\n"):
        text = html.escape(re.sub(r"\\(.)", r"\1", block.strip()))
        heading = re.match(r"(#+) (.*)", text)
        if heading:
            parts.append(f"<h{len(heading[1]) + 1}>{heading[2]}</h{len(heading[1]) + 1}>")
        elif text.startswith("- "):
            parts.append("<ul>\n" + "\n".join(f"<li>{item}</li>" for item in text[2:].split("\n- ")) + "\n</ul>")
        elif text:
            parts.append(f"<p>{text}</p>")
    return "\n".join(parts)


def policy(script: str) -> str:
    """The page loads its own figures only, and runs only this script. ``file:`` is for pages opened from disk, where
    'self' matches nothing in some browsers."""
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()  # from <script> to </script>
    return (f"default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
            "base-uri 'none'; form-action 'none'")


def write(paper: Paper, analysis: Path, folder: Path, *, compiled: bool, figures_pdf: bool, unverified: str) -> None:
    """Write index.html into a folder whose figures are drawn."""
    import jinja2

    from .article import file_name

    def table(sheet: Sheet) -> str:
        return render(Sheet(file_name(sheet.name), sheet.caption, sheet.wide, sheet.indent, sheet.heads, sheet.rows),
                      "html", "paper")

    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(analysis / "paper"), autoescape=True,
                                     undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    environment.filters.update(file=file_name, table=table)
    script, style = ((analysis / "paper" / name).read_text("utf-8") for name in ("page.js", "page.css"))
    text = environment.get_template("index.html").render(
        paper=paper, release=release(), script=script, style=style, policy=policy(script),
        compiled=compiled, figures_pdf=figures_pdf, unverified=unverified, points=tables.points(paper.study),
        csv=csv(paper.study), files=files(paper), bibtex=method.bibtex())
    (folder / "index.html").write_text(text, encoding="utf-8")
