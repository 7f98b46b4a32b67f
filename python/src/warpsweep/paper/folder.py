"""The folder that a paper is written to: it appears when it is complete, and never takes the place of another."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import UsageError, WarpsweepError
from ..outputs import named


def refuse_taken(path: str) -> None:
    """UsageError if `output` cannot write there, for something is there."""
    to = Path(os.path.realpath(path))
    if to.exists() and not (to.is_dir() and not any(to.iterdir())):
        raise UsageError(
            f"{path} exists and is not an empty folder: choose another one, or remove it"
        )
    for parent in to.parents:
        if parent.exists() and not parent.is_dir():
            raise UsageError(f"cannot write {path}: {parent} is no folder")


@contextmanager
def output(path: str) -> Iterator[Path]:
    """A folder to write into, which becomes `path` when the block ends well."""
    to = Path(os.path.realpath(path))
    try:
        refuse_taken(path)
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{to.name}.part-", dir=to.parent) as beside:
            made = Path(beside, to.name)
            made.mkdir()  # with the permissions that the user's umask leaves
            with named(path, made):
                yield made
                made.rename(to)
    except OSError as error:
        raise WarpsweepError(
            f"cannot write {error.filename or path}: {error.strerror or error}"
        ) from error
