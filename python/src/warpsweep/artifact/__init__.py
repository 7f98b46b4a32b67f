"""``artifact``: what an evaluation committee gets with a paper: results, readers, a check without a GPU, and the appendix."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pandas as pd

from .. import paper
from ..errors import UsageError
from ..identity import without_copies
from ..options import Arguments
from ..paper.folder import output
from ..paper.study import Study
from ..results import Results, read
from ..units import plural
from . import checking, kit
from .appendix import TO_FILL, Metadata, failed_of


def run(arguments: Arguments) -> int:
    """Write an artifact, or check one."""
    if arguments.given("check"):
        if len(arguments.operands) > 1:
            raise UsageError("artifact --check needs one folder, which artifact has made")
        return checking.check(Path(arguments.operands[0]), arguments.text("output"))
    folder = arguments.text("output")
    if not folder:
        raise UsageError("artifact needs a folder to write: -o DIR")
    metadata = Metadata(
        arguments.text("title"),
        arguments.each("author"),
        *(arguments.text(name) for name in ("license", "doi", "source")),
    )
    _refuse_wrong(metadata)
    analysis = paper.templates(arguments.text("analysis"))
    files = without_copies([read(path) for path in arguments.operands])
    if len({os.path.basename(file.path) for file in files}) < len(files):
        raise UsageError("results files in an artifact need different names: rename one of them")
    _refuse_empty(files)
    with output(folder) as made:
        study = Study(files)
        count = kit.write(study, analysis, made, metadata)
        claims = len(pd.read_csv(made / kit.CLAIMS))
    print(
        f"{folder}: {plural(count, 'file')}; README.md says how to evaluate it, {folder}/check checks it"
    )
    if empty := kit.unfilled(Path(folder)):
        print(f"fill in what no option gave, marked {TO_FILL}: {', '.join(empty)}")
    _warn_of(study, claims)
    return 0


def _refuse_empty(files: list[Results]) -> None:
    """UsageError if nothing can be claimed of them."""
    for file in files:
        if not len(file.rows):
            raise UsageError(f"{file.path} has no rows, and supports no claim: leave it out")
    if not any((file.rows["status"] == "ok").any() for file in files):
        raise UsageError("there is nothing to claim: no point of the results files is ok")


def _warn_of(study: Study, claims: int) -> None:
    """Say on stderr what an evaluator will ask."""
    for name, verdict in study.lacking.items():
        _warn(f"{name} is {verdict}")
    for file in study.files:
        if failed := failed_of(file):
            _warn(f"{plural(failed, 'point')} of {file.path} failed: no claim is made of them")
        if file.env("backend") == "fake":
            _warn(f"{file.path} is of the fake back end, which invents times")
    if not claims:
        _warn("the paper has no claims: there is nothing to reproduce")


def _refuse_wrong(metadata: Metadata) -> None:
    """UsageError if an option cannot be what it is to be."""
    if metadata.doi is not None and not re.fullmatch(r"10\.\d{4,9}(\.\d+)*/\S+", metadata.doi):
        raise UsageError(f"--doi '{metadata.doi[:80]}': expected 10.NNNN/NAME")
    if not all(one["name"].strip() for one in metadata.people):
        raise UsageError("--author: expected 'Family, Given (Affiliation)'; there is no name")
    for option in ("title", "license", "source"):
        text = getattr(metadata, option)
        if text is not None and not text.strip():
            raise UsageError(f"--{option}: expected a text that is not empty")


def _warn(text: str) -> None:
    print(f"warpsweep: warning: {text}", file=sys.stderr)
