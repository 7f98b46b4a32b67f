"""How every output file is written: it appears whole or not at all, and replaces only what an earlier command of its
kind has written."""
from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Iterable

from .errors import UsageError, WarpsweepError


def write(path: str | os.PathLike[str], data: str | bytes, inputs: Iterable[str] = (), kind: int = 0) -> None:
    """Replace the file by the text or bytes. UsageError if it is an input, no regular file, or has other first `kind`
    bytes."""
    target, content = Path(os.path.realpath(path)), data.encode("utf-8") if isinstance(data, str) else data
    try:
        there = target.stat() if target.exists() else None
        if there is not None:
            if any(os.path.exists(name) and os.path.samestat(there, os.stat(name)) for name in inputs):
                raise UsageError(f"{path} is read by this command: choose another output file")
            if not stat.S_ISREG(there.st_mode):
                raise UsageError(f"{path} is not a regular file: choose another output file")
            with open(target, "rb") as old:
                begins = old.read(kind)
            if begins and begins != content[:kind]:
                raise UsageError(f"{path} exists and is a file of another kind: choose another output file, or remove it")
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                umask = os.umask(0)
                os.umask(umask)
                os.fchmod(file.fileno(), stat.S_IMODE(there.st_mode) if there else 0o666 & ~umask)
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise WarpsweepError(f"cannot write {path}: {error.strerror}") from error
