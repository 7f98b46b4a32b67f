"""``artifact``: what an evaluation committee gets with a paper: results, readers, a check without a GPU, and the appendix."""

from __future__ import annotations

import os
from pathlib import Path

from .. import paper
from ..errors import UsageError
from ..identity import without_copies
from ..options import Arguments
from ..paper.folder import output
from ..paper.study import Study
from ..results import read
from ..units import plural
from . import checking, kit
from .appendix import TO_FILL, Metadata


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
    analysis = paper.templates(arguments.text("analysis"))
    files = without_copies([read(path) for path in arguments.operands])
    if len({os.path.basename(file.path) for file in files}) < len(files):
        raise UsageError("results files in an artifact need different names: rename one of them")
    with output(folder) as made:
        count = kit.write(Study(files), analysis, made, metadata)
    print(
        f"{folder}: {plural(count, 'file')}; README.md says how to evaluate it, {folder}/check checks it"
    )
    if empty := kit.unfilled(Path(folder)):
        print(f"fill in what no option gave, marked {TO_FILL}: {', '.join(empty)}")
    return 0
