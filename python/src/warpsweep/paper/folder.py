"""The folder that a paper is written to: only files that were made for it are replaced or removed.

MANIFEST lists every file with its CRC-32 and size. Everything is made in a folder beside, and appears when it is
complete. While files are replaced the manifest lists the old ones and the new ones: if the command is killed, the next
one goes on.
"""
from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from pathlib import Path

from ..errors import UsageError, WarpsweepError

MANIFEST = ".warpsweep-manifest"
HEADER = "warpsweep manifest 1"
NAMES_MAX = 8  # in a message


def _entry(root: Path, name: str) -> str:
    """A line of the manifest; of a link, or of a folder, one that no manifest has."""
    if (root / name).is_symlink() or not (root / name).is_file():
        return ""
    data = (root / name).read_bytes()
    return f"{zlib.crc32(data):08x} {len(data)} {name}"


def _read(root: Path) -> set[str] | None:
    """The lines of the manifest; None: the folder was not made by this command."""
    try:
        header, *lines = (root / MANIFEST).read_text("utf-8", "surrogateescape").splitlines()
    except (OSError, ValueError):
        return None
    return set(lines) if header == HEADER else None


def _write(root: Path, lines: set[str]) -> None:
    part = root / f"{MANIFEST}.part"
    part.write_text("\n".join([HEADER, *sorted(lines)]) + "\n", "utf-8", "surrogateescape")
    part.replace(root / MANIFEST)


def _name(line: str) -> str:
    return line.split(" ", 2)[2]


class Output:
    """`with Output(path, overwrite) as output`: write into `output.made`, then `output.put()`."""

    def __init__(self, path: str, overwrite: bool) -> None:
        self.shown, self.to = path, Path(os.path.realpath(path))
        self.made: Path = self.to
        self.listed: set[str] | None = None
        try:
            if not self.to.exists() or (self.to.is_dir() and not any(self.to.iterdir())):
                return
            if not self.to.is_dir():
                raise UsageError(f"{path} exists and is not a folder")
            if not overwrite:
                raise UsageError(f"{path} is not empty; use another folder or --overwrite")
            self.listed = _read(self.to)
            if self.listed is None:
                raise UsageError(f"{path} was not written by this command (it has no {MANIFEST}); use another folder")
            self._check(set(map(_name, self.listed)))
        except OSError as error:
            raise WarpsweepError(f"cannot read {path}: {error.strerror}") from error

    def _check(self, names: set[str]) -> None:
        """Refuse files of these names that are not as this command has made them."""
        mine = sorted(name for name in names
                      if os.path.lexists(self.to / name) and _entry(self.to, name) not in (self.listed or ()))
        if mine:
            more = ", ..." if len(mine) > NAMES_MAX else ""
            raise UsageError(f"{self.to} has files of yours where the command writes its own, or changed ones: "
                             f"{', '.join(mine[:NAMES_MAX])}{more}; move or delete them")

    def __enter__(self) -> "Output":
        try:
            self.to.parent.mkdir(parents=True, exist_ok=True)
            self.made = Path(tempfile.mkdtemp(prefix=f"{self.to.name}.part-", dir=self.to.parent))
            umask = os.umask(0)
            os.umask(umask)
            self.made.chmod(0o777 & ~umask)
        except OSError as error:
            raise WarpsweepError(f"cannot create the folder {self.shown}: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.made, ignore_errors=True)  # where it was not put

    def put(self) -> None:
        """Replace the folder's files."""
        names = {path.relative_to(self.made).as_posix() for path in self.made.rglob("*") if path.is_file()}
        new = {_entry(self.made, name) for name in names}
        try:
            if self.listed is None:
                _write(self.made, new)
                self.made.rename(self.to)
                return
            old = set(map(_name, self.listed))
            self._check(names | old)
            _write(self.to, self.listed | new)
            for name in names:
                (self.to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(str(self.made / name), str(self.to / name))
            for name in old - names:
                (self.to / name).unlink(missing_ok=True)
                if (self.to / name).parent != self.to and not any((self.to / name).parent.iterdir()):
                    (self.to / name).parent.rmdir()
            _write(self.to, new)
        except OSError as error:
            raise WarpsweepError(f"cannot write {self.shown}: {error.strerror}") from error
