"""Everything that readers say and draw of results files, and what is wrong with it, as one list of faults."""
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import planted

from warpsweep import directives, gnuplot, plots, units
from warpsweep.paper import content, drawing, render, saying
from warpsweep.paper.study import Study
from warpsweep.results import read

ROOT = Path(os.environ.get("REPOSITORY", Path(__file__).resolve().parents[2]))
ANALYSIS = ROOT / "analysis"
REPORTS = ("", "--findings", "--roofs", "--model", "--bounds", "--time")
SENTENCE = re.compile(r"(?<=[a-z)\]%]\.)\s+")
NUMBERLESS = re.compile(r"(?<![\w./-])(nan|inf|null)(?![\w./-])", re.I)
MARKUP = re.compile(r"\\[A-Za-z_]+|\$[^$ ]+\$|\{\{|\}\}|<[a-z]+>")
SHARE = re.compile(r"(\d+(?:\.\d+)?)(?: ± [\d.]+)? % of (?:its|the|their) [\w ]*(?:roof|peak|limit|sheet)")
BEST = re.compile(r"(?m)^- (?:\\_|\w)+(?: [^:]*)?: best of .*? at [\d.]+(?: ± [\d.]+)? ([A-Za-zµ/]+)")
WIDTH = 100  # columns of a terminal: of what `compare` prints, apart from a word that is longer
SHORT = 12  # letters: shorter sentences, as notes of tables, may come twice


@dataclass
class Said:
    """Texts by their name, and pictures, of some files."""

    texts: dict = field(default_factory=dict)
    drawings: list = field(default_factory=list)
    predicted: bool = False
    rows: pd.DataFrame = None


def figures(rows):
    """The drawing of each figure that has data in the rows, as SVG, the default ones of families included."""
    request, made = plots.Request(rows, format="svg"), []
    for d in directives.read_folder(ANALYSIS):
        try:
            made.append(request.make(d)[1])
        except directives.Skipped:
            continue
    for family in plots.without_figure(rows, [one.figure for one in made]):
        d, own = plots.default(rows, family)
        made.append(replace(request, frame=own).make(d)[1])
    return made


def paper(paths, drawings, folder):
    """The sentences of a paper and its LaTeX, with the captions of figures that are drawn already."""
    (folder / "figures").mkdir(parents=True)
    study = Study([read(path) for path in paths])
    shown = [drawing.Drawn(one.figure.name, one.figure.title, one.figure.directives.one("kernel", "*"), one.figure.caption)
             for one in drawings]
    made = content.make(study, saying.Say(study, ANALYSIS), shown)
    render.write_latex(made, ANALYSIS, folder, False)
    texts = {"paper abstract": "\n".join(made.abstract)}
    for section in (one for section in made.sections if not section.detail for one in section.whole):
        texts[f"paper {section.key}"] = "\n".join(
            [*section.paragraphs, *section.findings, *(sheet.caption for sheet in section.tables)])
    tex = "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*.tex")) if "figures" not in path.parts)
    return texts, tex


def everything(paths, folder):
    """All of it."""
    said = Said()
    for option in REPORTS:
        done = planted.said("report", *paths, *filter(None, [option]))
        if done.returncode:
            said.texts[f"report {option}: exit code"] = f"nan: {done.stderr}"
        said.texts[f"report {option}".strip()] = done.stdout + done.stderr
    if len(paths) == 2:
        done = planted.said("compare", *paths)
        said.texts["compare"] = done.stdout + done.stderr if done.returncode < 2 else f"nan: {done.stderr}"
    rows = plots.read_rows(list(paths), "predicted headroom")
    said.rows = rows
    said.predicted = any(group.backend == "predicted" for group in rows.attrs["groups"].values())
    said.drawings = figures(rows)
    for one in said.drawings:
        said.texts[f"caption of {one.figure.name}"] = one.figure.caption
        said.texts[f"headline of {one.figure.name}"] = one.figure.title
    texts, said.texts["LaTeX of the paper"] = paper(paths, said.drawings, folder / "paper")
    said.texts.update(texts)
    return said


def shares_above(lines):
    """Rows of Markdown tables with a share of a roof above 100 %."""
    heads = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not heads or not cells:
            heads = cells
        elif any("roof" in head and re.match(r"1\d\d(\.\d+)?( ±.*)? %$", cell) for head, cell in zip(heads, cells)):
            yield line


def faults_of_text(name, text):
    """What no sentence may have, whatever it is about."""
    lines = text.splitlines()
    prose = "\n".join(line for line in lines if not line.startswith("|"))
    if name == "compare":
        yield from (f"compare: {len(line)} columns: {line}" for line in lines if len(line) > WIDTH and " " in line[4:WIDTH])
        prose = ""  # tables, and no Markdown
    if name.startswith("LaTeX"):
        yield from (f"{name}: {found[0]}" for found in re.finditer(r"(?<![\w\\-])(?:nan|inf)(?![\w-])", text))
        return
    yield from (f"{name}: '{found[0]}' in: {text[max(0, found.start() - 60):found.end() + 20]!r}"
                for found in NUMBERLESS.finditer(text))
    yield from (f"{name}: markup {found[0]!r}" for found in MARKUP.finditer(prose))
    for part in re.split(r"^#+ .*$", prose, flags=re.M):  # each device has a part of its own
        sentences = [one.strip(" -\n") for one in SENTENCE.split(part)]
        twice = [one for one, count in Counter(sentences).items() if count > 1 and len(one) > SHORT]
        yield from (f"{name}: twice: {one[:90]}" for one in twice)
    yield from (f"{name}: above 100 % without the word: {line}" for line in shares_above(lines)
                if "above 100 %" not in text and "over 100 %" not in text)
    for line in prose.splitlines():
        above = [found[1] for found in SHARE.finditer(line) if float(found[1]) > 100]
        if above and "above" not in line and "exceed" not in line:
            yield f"{name}: {above[0]} % of a roof without the word: {line[:120]}"
    yield from (f"{name}: 0 of something: {found[0]}" for found in re.finditer(r"\bof which 1 are\b|\b1 points\b|\b1 families\b", prose))


def faults_of_drawing(one, picture):
    """An empty picture, a curve that is named and not there, a prediction without its mark, an SVG that is refused."""
    figure, caption, name = one.figure, one.figure.caption, one.figure.name
    yield from faults_of_units(name, figure)
    inside = {id(curve): inside_of(figure, curve) for curve in figure.curves}
    if not figure.curves or not any(inside.values()):
        yield f"{name}: the picture is empty"
    yield from (f"{name}: no point of curve {curve.name} is in its panel" for curve in figure.curves if not inside[id(curve)])
    shown = {curve.source for curve in figure.curves}
    for source in figure.sources:
        if source.label not in shown and source.device in caption and "No such points" not in caption:
            yield f"{name}: the caption names {source.label}, which has no curve"
    predicted = {source.label for source in figure.sources if source.backend == "predicted"} & shown
    if predicted and "predicted" not in caption:
        yield f"{name}: a prediction without its mark"
    if predicted == shown and predicted and figure.findings and "predicted" not in figure.title + figure.notice:
        yield f"{name}: a headline of a prediction without its mark: {figure.title}"
    if any(axis.cut for axis in figure.y) != ("does not start at zero" in caption):
        yield f"{name}: the caption does not name a cut axis"
    for axis in figure.y:  # a linear axis of amounts that is cut must say so
        if axis.kind == "linear" and not axis.names and axis.low > 0 and not axis.cut and not figure.directives.one("table"):
            yield f"{name}: the y axis starts at {axis.low:g}, and no caption says so"
    text = picture.read_text("utf-8")
    if re.search(r"scale\(0\.?0*\)", text):
        yield f"{name}: an element of size 0, which librsvg refuses"
    if shutil.which("rsvg-convert"):
        done = subprocess.run(["rsvg-convert", "-w", "100", "-o", picture.with_suffix(".check.png"), picture], capture_output=True, text=True)
        if done.returncode:
            yield f"{name}: rsvg-convert: {done.stderr[:200]}"


# What a column is of, whatever the file calls its unit; the first that begins like the column.
DIMENSIONS = {"bandwidth": "bytes/s", "bus_bandwidth": "bytes/s", "dram_rate": "bytes/s", "flop_rate": "flop/s", "time_": "s",
              "latency_seconds": "s", "latency_p": "cycles", "fraction_": "%", "energy_per_byte": "J", "energy": "J", "power": "W"}


def dimension(name):
    """Of a unit that people read: "GB/s" is of bytes/s."""
    unit = units.find(name)
    return {"op/s": "flop/s", "flop/s or op/s": "flop/s"}.get(unit.of, unit.of) if unit else name


def faults_of_units(name, figure):
    """The label of the y axis has a unit of what the column is."""
    column = figure.directives.one("y")
    of = next((unit for start, unit in DIMENSIONS.items() if column.startswith(start)), None)
    for axis in figure.y:
        found = re.search(r"\(([^()]*)\)$", axis.label)
        if of and found and dimension(found[1].split(" per ")[0]) != of:
            yield f"{name}: {column} is drawn in {found[1]}"


def faults_of_quantities(text, rows):
    """The best of a family is told in a unit of its own quantity: products by operations, copies by bytes."""
    of = {"bytes/s": "bytes_read", "flop/s": "flops", "s": "time_median", "cycles": "latency_p50"}
    for found in BEST.finditer(text):
        kernel, unit = found[0][2:].replace("\\_", "_").split(":")[0].split(" ")[0], dimension(found[1])
        mine = rows[rows["kernel"] == kernel]
        heavy = ((mine["flops"] > 0) & (mine["flops"] > 16 * (mine["bytes_read"] + mine["bytes_written"]))).mean() > 0.5
        if unit not in of or mine.get(of[unit]) is None or not mine[of[unit]].notna().any() or heavy and unit == "bytes/s":
            yield f"the best of {kernel} is told in {found[1]}: {found[0]}"


def inside_of(figure, curve):
    """How many points of a curve are inside of its panel."""
    axis = figure.y[curve.panel.block]
    if axis.names or figure.draw in ("cells", "areas", "across"):
        return len(curve.points)
    y = curve.points["y"].to_numpy(float)
    return int((np.isfinite(y) & (y >= axis.low) & (y <= axis.high)).sum())


def faults(paths, folder):
    """What is wrong with what is said and drawn of the files, a line each."""
    said = everything(paths, folder)
    found = [fault for name, text in said.texts.items() for fault in faults_of_text(name, text)]
    found += faults_of_quantities(said.texts["report --findings"], said.rows)
    pictures = []
    for first in range(0, len(said.drawings), plots.TOGETHER):
        pictures += gnuplot.draw(said.drawings[first:first + plots.TOGETHER], folder)
    for one, picture in zip(said.drawings, pictures):
        found += faults_of_drawing(one, picture)
    if said.predicted:
        found += [f"{name}: no word of the prediction" for name, text in said.texts.items()
                  if name in ("report", "report --findings", "paper abstract") and not re.search("predicted|time model", text)]
    return found
