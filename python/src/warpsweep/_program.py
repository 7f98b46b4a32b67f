"""Starting the program ``warpsweep``."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence

from .errors import ProgramError


def find(program: str | os.PathLike[str]) -> str:
    """The path of the program: on the PATH, or of the prefix that this package is installed in."""
    found = shutil.which(program)
    if not found and os.fspath(program) == "warpsweep":
        here = pathlib.Path(__file__).resolve()  # PREFIX/share/warpsweep/python/src/warpsweep/_program.py
        found = shutil.which(here.parents[5] / "bin" / "warpsweep") if len(here.parents) > 5 else None
    if not found:
        raise ProgramError(f"there is no program {os.fspath(program)!r}: build warpsweep, and put it on the PATH or "
                           "name it as program=")
    return found


def run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run it; raises ProgramError with what it said when it failed."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip() or f"{' '.join(command)}: exit code {done.returncode}", done.returncode)
    return done
