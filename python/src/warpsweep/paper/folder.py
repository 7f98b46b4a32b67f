"""The folder that a paper is written to: it appears when it is complete, and only files of its MANIFEST are replaced or
removed. Meanwhile that lists the old ones and the new ones: if the command is killed, the next one goes on."""
from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import UsageError, WarpsweepError

MANIFEST = ".warpsweep-manifest"
HEADER = "warpsweep manifest 1"
NAMES_MAX = 8  # in a message


@contextmanager
def output(path: str, overwrite: bool) -> Iterator[Path]:
    """A folder to write into. When the block ends well, it takes the place of `path`, or its files do."""
    to = Path(os.path.realpath(path))
    try:
        listed = _listed(to, path, overwrite)
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{to.name}.part-", dir=to.parent) as beside:
            made = Path(beside, to.name)
            made.mkdir()  # with the permissions that the user's umask leaves
            yield made
            _put(made, to, listed)
    except OSError as error:
        raise WarpsweepError(f"cannot write {error.filename or path}: {error.strerror or error}") from error


def _listed(to: Path, shown: str, overwrite: bool) -> set[str] | None:
    """The lines of the manifest of a folder that may be overwritten; None: there is nothing in it."""
    if not to.exists() or to.is_dir() and not any(to.iterdir()):
        return None
    if not to.is_dir():
        raise UsageError(f"{shown} exists and is not a folder")
    if not overwrite:
        raise UsageError(f"{shown} is not empty; use another folder or --overwrite")
    text = (to / MANIFEST).read_text("utf-8", "surrogateescape") if (to / MANIFEST).is_file() else ""
    header, *lines = text.splitlines() or [""]
    if header != HEADER:
        raise UsageError(f"{shown} was not written by this command (it has no {MANIFEST}); use another folder")
    _check(to, set(lines), {line.split(" ", 2)[2] for line in lines})
    return set(lines)


def _line(root: Path, name: str) -> str:
    """A line of the manifest; of a link, or of a folder, one that no manifest has."""
    if (root / name).is_symlink() or not (root / name).is_file():
        return ""
    data = (root / name).read_bytes()
    return f"{zlib.crc32(data):08x} {len(data)} {name}"


def _check(to: Path, listed: set[str], names: set[str]) -> None:
    """Refuse files of these names that are not as this command has made them."""
    mine = sorted(name for name in names if os.path.lexists(to / name) and _line(to, name) not in listed)
    if mine:
        more = ", ..." if len(mine) > NAMES_MAX else ""
        raise UsageError(f"{to} has files of yours where the command writes its own, or changed ones: "
                         f"{', '.join(mine[:NAMES_MAX])}{more}; move or delete them")


def _write(root: Path, lines: set[str]) -> None:
    part = root / f"{MANIFEST}.part"
    part.write_text("\n".join([HEADER, *sorted(lines)]) + "\n", "utf-8", "surrogateescape")
    part.replace(root / MANIFEST)


def _put(made: Path, to: Path, listed: set[str] | None) -> None:
    """Replace the files that are listed by those that were made."""
    names = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    new = {_line(made, name) for name in names}
    if listed is None:
        _write(made, new)
        made.rename(to)
        return
    old = {line.split(" ", 2)[2] for line in listed}
    _check(to, listed, names | old)
    _write(to, listed | new)
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(str(made / name), str(to / name))
    for name in old - names:
        (to / name).unlink(missing_ok=True)
        if (to / name).parent != to and not any((to / name).parent.iterdir()):
            (to / name).parent.rmdir()
    _write(to, new)
