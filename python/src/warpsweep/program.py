"""Starting the program ``warpsweep``, which alone measures, and reads journals."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import ProgramError, WarpsweepError


def find_program() -> str:
    """The program that started this process, the one of the same prefix, or that on the PATH."""
    here = Path(__file__).resolve()  # PREFIX/share/warpsweep/python/src/warpsweep/program.py
    places = [
        os.environ.get("WARPSWEEP_PROGRAM"),
        os.fspath(here.parents[min(5, len(here.parents) - 1)] / "bin/warpsweep"),
        "warpsweep",
        os.fspath(here.parents[3] / "build/bin/warpsweep"),
    ]
    found = next((path for path in map(shutil.which, filter(None, places)) if path), None)
    if not found:
        raise ProgramError(
            "the program warpsweep was not found: put it on the PATH, or name it in WARPSWEEP_PROGRAM"
        )
    return found


def shipped(name: str) -> Path:
    """A file or folder of ``data``: links in the source tree and in a prefix, copies in a wheel."""
    path = Path(__file__).with_name("data") / name
    if not path.exists():
        raise WarpsweepError(
            f"cannot read {path}, which ships with the package; is the installation complete?"
        )
    return path.resolve()


def run_program(*arguments: str, good: tuple[int, ...] = (0,), tell: bool = False) -> str:
    """What it prints; raises ProgramError with its message if it ends with another exit code than the good ones. ``tell``: its
    notes go to stderr."""
    done = subprocess.run(
        [find_program(), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
    )
    if done.returncode not in good:
        raise ProgramError(
            done.stderr.strip().removeprefix("warpsweep: ")
            or f"{' '.join(arguments)}: exit code " f"{done.returncode}",
            done.returncode,
        )
    if tell:
        print(done.stderr, end="", file=sys.stderr)
    return done.stdout
