"""The folder of an artifact: paper, results, jobs, sources, claims, the readers that check it, and texts from analysis/artifact."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .. import declared
from .. import paper as papers
from ..claims import claims_of
from ..errors import WarpsweepError
from ..gnuplot import environment
from ..latex import refuse_unknown
from ..outputs import write as write_file
from ..paper.content import Paper
from ..paper.render import latex_templates, release
from ..paper.study import Study
from ..program import shipped
from ..show import restore
from ..time_model import reference_files
from .appendix import TO_FILL, Metadata, contributions, failed_of, measured_of

MANIFEST, CLAIMS, ABOUT = "MANIFEST", "claims.csv", "artifact.json"
SCRIPTS = ("check", "measure")
TEXTS = ("README.md", "LICENSE", "CITATION.cff", "zenodo.json", *SCRIPTS)
HIDDEN = {"zenodo.json"}  # they begin with a dot in the artifact: packages leave out such files
SHIPPED = ("*.gp", "figure.gp.j2", "references.txt", "paper/*", "artifact/*")  # of analysis/


@dataclass(frozen=True)
class About:
    """What ABOUT holds. ``files``: names of the results files. ``seconds``: that making the paper took. ``size``: of all but
    jobs and texts, in bytes."""

    release: str
    files: list[str]
    metadata: Metadata
    seconds: float
    size: int = 0


def write(study: Study, analysis: Path, folder: Path, metadata: Metadata) -> int:
    """Write an artifact into an empty folder; returns how many files it has."""
    start = time.monotonic()
    paper, claims = _write_computed(study, analysis, folder, metadata.title)
    about = About(
        release(), [file.path.name for file in study.files], metadata, time.monotonic() - start
    )
    (folder / "results").mkdir()
    for file in study.files:
        file.copy_to(folder / "results" / file.path.name)
    write_readers(analysis, folder / "readers")
    about = replace(about, size=sum(path.stat().st_size for path in files_of(folder)))
    write_file(folder / ABOUT, json.dumps(asdict(about), indent=2) + "\n")
    _write_told(study, analysis, folder, about, paper, claims)
    write_file(folder / MANIFEST, manifest(folder))
    return len(files_of(folder))


def write_again(study: Study, analysis: Path, folder: Path, about: About) -> None:
    """What follows from the results files and ABOUT: all but these, MANIFEST and the readers."""
    paper, claims = _write_computed(study, analysis, folder, about.metadata.title)
    _write_told(study, analysis, folder, about, paper, claims)


def read_about(folder: Path) -> About:
    """ABOUT of an artifact; WarpsweepError if it is damaged."""
    try:
        told = json.loads((folder / ABOUT).read_text("utf-8"))
        metadata = Metadata(**told.pop("metadata"))
        about = About(metadata=metadata, **told)
        texts = (metadata.title, metadata.license, metadata.doi, metadata.source)
        good = all(isinstance(one, str) for one in (about.release, *about.files, *metadata.authors))
        good &= all(one is None or isinstance(one, str) for one in texts)
        good &= all(isinstance(one, (int, float)) for one in (about.seconds, about.size))
    except (ValueError, TypeError, KeyError, AttributeError):  # no JSON, or of another shape
        good = False
    if not good or not about.files:
        raise WarpsweepError(
            f"{ABOUT} is damaged, or of another release: it does not say what the artifact is made of"
        )
    return about


def _write_told(
    study: Study, analysis: Path, folder: Path, about: About, paper: Paper, claims: pd.DataFrame
) -> None:
    """Jobs, sources and texts."""
    (folder / "jobs").mkdir()
    kernels = {}
    for file in study.files:
        if file.job:
            write_file(folder / "jobs" / f"{file.stem}.yaml", file.job)
        kernels[file.name] = (
            restore(file, folder / "kernels" / file.stem, f"kernels/{file.stem}")
            if file.sources
            else []
        )
    measured = measured_of(study, kernels)
    found = contributions(paper, claims, measured)
    words = {
        "paper": paper,
        "claims": claims,
        "measured": measured,
        "contributions": found,
        "supported": {one.key: [of for of in found if one in of.files] for one in measured},
        "about": about.metadata,
        "release": about.release,
        "requirements": (Path(__file__).parents[1] / "requirements.txt").read_text().split(),
        "seconds": about.seconds,
        "size": about.size,
        "mit": shipped("LICENSE").read_text("utf-8"),
        "failed": {file.name: failed_of(file) for file in study.files},
        "TO_FILL": TO_FILL,
    }
    write_texts(analysis / "artifact", folder, words)


def _write_computed(
    study: Study, analysis: Path, folder: Path, title: str | None
) -> tuple[Paper, pd.DataFrame]:
    """What follows from the results files: the paper and its claims."""
    (folder / "paper").mkdir()
    paper, _ = papers.write(study, analysis, folder / "paper", title, data=True)
    claims = claims_of(study)
    write_file(folder / CLAIMS, claims.to_csv(index=False))
    return paper, claims


def write_texts(templates: Path, folder: Path, words: dict[str, Any]) -> None:
    """Render the templates of an artifact."""
    plain, latex = (
        environment(templates, trim_blocks=True, lstrip_blocks=True),
        latex_templates(templates),
    )
    for of in (plain, latex):
        of.filters.update(shell=shlex.quote, megabytes=lambda size: f"{size / 1e6:.3g} MB")
    for name in TEXTS:
        text = plain.get_template(name).render(words)
        write_file(folder / (f".{name}" if name in HIDDEN else name), text)
    for name in SCRIPTS:
        os.chmod(folder / name, 0o755)
    appendix = latex.get_template("ad-ae.tex").render(words)
    refuse_unknown(appendix)
    write_file(folder / "ad-ae.tex", appendix)


def write_readers(analysis: Path, folder: Path) -> None:
    """The Python package, with what it needs of the files that ship with it. Modes are not copied: they may be read-only."""
    package, profiles = Path(__file__).parents[1], shipped("profiles")
    found = {
        path.relative_to(package): path
        for pattern in ("**/*.py", "py.typed", "requirements.txt")
        for path in package.glob(pattern)
    }
    data = {Path(name): shipped(name) for name in ("VERSION", "LICENSE")}
    data |= {Path("core", name): shipped(f"core/{name}") for name in declared.HEADERS}
    data |= {Path("profiles", path.name): path for path in profiles.iterdir()}
    data |= {
        Path("analysis", path.relative_to(analysis)): path
        for pattern in SHIPPED
        for path in analysis.glob(pattern)
        if path.is_file()
    }
    data |= {Path("analysis/data", path.name): path for path in reference_files()}
    for name, path in (found | {"data" / name: path for name, path in data.items()}).items():
        target = folder / "warpsweep" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def files_of(folder: Path) -> list[Path]:
    """All files below a folder, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def manifest(folder: Path) -> str:
    """A line for each file but itself, as sha256sum prints and reads it."""
    return "".join(
        f"{digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files_of(folder)
    )


def unfilled(folder: Path) -> list[str]:
    """The texts with something to be filled in."""
    return [
        path.name
        for path in sorted(folder.iterdir())
        if path.is_file() and TO_FILL in path.read_text("utf-8")
    ]
