"""The packages that this one needs: requirements.txt, which pip reads, too."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from .errors import PackageError


def _number(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def check(*, load: bool = False) -> None:
    """PackageError with what to install if a package is missing, or too old; with ``load`` also if it cannot be imported.
    Without, the versions of those are checked that are imported already."""
    requirements = Path(__file__).with_name("requirements.txt").read_text(encoding="utf-8")
    for line in requirements.split():
        name, _, least = line.partition(">=")
        how = f"apt-get install python3-{name}, or {sys.executable} -m pip install '{line}'"
        if name not in sys.modules and find_spec(name) is None:
            raise PackageError(f"this needs the Python package {name}: {how}")
        try:
            module = import_module(name) if load else sys.modules.get(name)
        except Exception as error:  # of packages that do not fit each other it can be any
            why = " ".join(str(error).split())[:200]
            raise PackageError(f"Python's package {name} is broken ({why}): {how}") from error
        version = str(getattr(module, "__version__", least))
        if _number(version) < _number(least):
            raise PackageError(f"this needs {name} {least} or newer, not {version}: {how}")


def hold_texts_plainly() -> None:
    """Where there is pyarrow, pandas holds texts in its arrays: of few rows each step then takes a seventh more time."""
    import_module("pandas").set_option("mode.string_storage", "python")
