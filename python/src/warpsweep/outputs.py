"""How every output file is written: it appears whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import UsageError, WarpsweepError


def write(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Replace the file by the text or bytes; its permissions stay. UsageError if it is no regular file."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if target.exists() and not target.is_file():
            raise UsageError(f"{path} is not a regular file: choose another output file")
        temporary.unlink(missing_ok=True)  # of a killed process of this number
        with open(temporary, "xb") as file:  # it follows no link that somebody has put there
            try:
                if target.exists():
                    os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
                file.write(data.encode("utf-8") if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise WarpsweepError(f"cannot write {path}: {error.strerror}") from error


def write_into(folder: Path, name: str, data: str | bytes) -> None:
    """``write`` to a name that the user has not given. UsageError if it is a link, which leads elsewhere."""
    if (folder / name).is_symlink():
        raise UsageError(f"{folder / name} is a link: remove it, or choose another folder")
    write(folder / name, data)
