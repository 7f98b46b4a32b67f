"""The folder that a paper is written to: it appears complete or not at all, and only files that were made for it go.

MANIFEST lists every file with its CRC-32 and size. A new folder is made beside the old one; files of the user are
linked into it, then both are renamed. What a killed command leaves is completed or removed by the next one.
"""
from __future__ import annotations

import fcntl
import glob
import os
import shutil
import stat
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Iterator

from ..errors import UsageError, WarpsweepError

MANIFEST = ".warpsweep-manifest"
LOCK = ".warpsweep-lock"  # held by the command that writes the folder; it is gone from a complete one
HEADER = "warpsweep manifest 1"
NAMES_MAX = 8  # in a message


def _walk(root: Path, under: str = "") -> Iterator[tuple[str, bool]]:
    """Names relative to the root and whether they are folders; a folder comes after its content."""
    for entry in sorted(os.scandir(root / under), key=lambda entry: entry.name):
        name = f"{under}/{entry.name}" if under else entry.name
        folder = entry.is_dir(follow_symlinks=False)
        if folder:
            yield from _walk(root, name)
        if name not in (MANIFEST, LOCK):
            yield name, folder


def _describe(path: Path) -> str:
    bytes_ = path.read_bytes()
    return f"{zlib.crc32(bytes_):08x} {len(bytes_)}"


def _read_manifest(root: Path) -> dict[str, str] | None:
    try:
        lines = (root / MANIFEST).read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return None
    if lines[0] != HEADER or lines[-1]:
        return None
    return {name: f"{crc} {size}" for crc, size, name in (line.split(" ", 2) for line in lines[1:-1])}


def _write_manifest(root: Path) -> None:
    lines = [HEADER] + [f"{_describe(root / name)} {name}" for name, folder in _walk(root) if not folder]
    (root / MANIFEST).write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")


def _is_unchanged(root: Path, manifest: dict[str, str], name: str) -> bool:
    path = root / name
    return stat.S_ISREG(path.lstat().st_mode) and manifest.get(name) == _describe(path)


def _keep(root: Path, manifest: dict[str, str], to: Path | None) -> None:
    """Refuse changed files and, with `to`, link those that are not listed into it."""
    in_the_way: list[str] = []
    for name, folder in _walk(root):
        if not folder and name in manifest:
            if not _is_unchanged(root, manifest, name):
                in_the_way.append(name)
            continue
        if to is None:
            continue
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            if not folder:
                os.link(root / name, to / name, follow_symlinks=False)
            elif not (to / name).is_dir() or (to / name).is_symlink():
                (to / name).mkdir(mode=stat.S_IMODE((root / name).lstat().st_mode))
        except FileExistsError:
            in_the_way.append(name)
        except OSError as error:
            raise WarpsweepError(f"cannot keep {root}/{name}: {error.strerror}; move it elsewhere") from error
    if in_the_way:
        more = ", ..." if len(in_the_way) > NAMES_MAX else ""
        raise UsageError(f"{root} has files of yours where the command writes its own, or changed ones: "
                         f"{', '.join(in_the_way[:NAMES_MAX])}{more}; move or delete them")


def _discard(old: Path, now: Path) -> None:
    """Remove what is listed and unchanged, or is the same file as in the new folder."""
    manifest = _read_manifest(old)
    if manifest is not None:
        for name, folder in list(_walk(old)):
            kept = now / name
            if folder:
                _remove_if_empty(old / name)
            elif (os.path.lexists(kept) and os.path.samestat(kept.lstat(), (old / name).lstat())) \
                    or _is_unchanged(old, manifest, name):
                os.unlink(old / name)
        os.unlink(old / MANIFEST)
    if not _remove_if_empty(old) and manifest is not None:
        print(f"warpsweep: files that changed meanwhile are kept in {old}", file=sys.stderr)


def _remove_if_empty(folder: Path) -> bool:
    try:
        folder.rmdir()
        return True
    except OSError:
        return False


def _lock(path: Path) -> int | None:
    """A descriptor; None: another process holds it, or there is no lock."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    except OSError:
        os.close(descriptor)
        return None


def _recover(to: Path) -> None:
    """What killed commands have left beside the folder: a replacement between its renames is undone, after them
    completed."""
    left_over = to.parent.glob(glob.escape(to.name) + ".part-*") if to.parent.is_dir() else []
    for left in sorted(left_over, key=lambda path: not path.name.endswith(".old")):  # the user's folder first
        if left.is_symlink() or not left.is_dir() or left.stat().st_uid != os.geteuid():
            continue
        if (left / LOCK).exists():
            descriptor = _lock(left / LOCK)
            if descriptor is not None:
                shutil.rmtree(left)
                os.close(descriptor)
        elif _read_manifest(left) is not None:
            if left.name.endswith(".old") and not to.exists():
                left.rename(to)
            else:
                _discard(left, to)


class Output:
    """`with Output(path, overwrite) as output`: write into `output.made`, then `output.put()`."""

    def __init__(self, path: str, overwrite: bool) -> None:
        self.shown, self.to = path, Path(os.path.realpath(path))
        self.made: Path = self.to
        self._lock: int | None = None
        try:
            _recover(self.to)
            self._check(overwrite)
        except OSError as error:
            raise WarpsweepError(f"cannot read {path}: {error.strerror}") from error

    def _check(self, overwrite: bool) -> None:
        if not self.to.exists():
            return
        if not self.to.is_dir():
            raise UsageError(f"{self.shown} exists and is not a folder")
        if not any(os.scandir(self.to)):
            return
        if not overwrite:
            raise UsageError(f"{self.shown} is not empty; use another folder or --overwrite")
        manifest = _read_manifest(self.to)
        if manifest is None:
            raise UsageError(f"{self.shown} was not written by this command (it has no {MANIFEST}); "
                             "use another folder")
        _keep(self.to, manifest, None)

    def __enter__(self) -> "Output":
        umask = os.umask(0)
        os.umask(umask)
        mode = stat.S_IMODE(self.to.stat().st_mode) if self.to.exists() else 0o777 & ~umask
        try:
            self.to.parent.mkdir(parents=True, exist_ok=True)
            self.made = Path(tempfile.mkdtemp(prefix=f"{self.to.name}.part-", dir=self.to.parent))
            # The lock gets its name when it is held: a process that starts now would else remove the folder.
            (self.made / "lock").touch(0o600)
            self._lock = _lock(self.made / "lock")
            (self.made / "lock").rename(self.made / LOCK)
            self.made.chmod(mode)
        except OSError as error:
            raise WarpsweepError(f"cannot create the folder {self.shown}: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            if (self.made / LOCK).exists():
                shutil.rmtree(self.made)
            os.close(self._lock)

    def put(self) -> None:
        """Replace the folder. On failure it is as before."""
        manifest = _read_manifest(self.to) if self.to.exists() else None
        _write_manifest(self.made)
        if manifest is not None:
            _keep(self.to, manifest, self.made)
        old = self.made.with_name(self.made.name + ".old")
        os.unlink(self.made / LOCK)
        try:
            if manifest is not None:
                self.to.rename(old)
            self.made.rename(self.to)
        except OSError as error:
            if manifest is not None and not self.to.exists() and old.exists():
                old.rename(self.to)
            _discard(self.made, self.to)
            raise WarpsweepError(f"cannot rename the new folder to {self.shown}: {error.strerror}") from error
        if manifest is not None:
            _discard(old, self.to)
