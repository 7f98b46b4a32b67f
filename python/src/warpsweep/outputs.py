"""How every output file is written: it appears whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
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
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"cannot write {path}: its folder does not exist") from None
    except OSError as error:
        raise WarpsweepError(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def named(path: str, *temporary: Path) -> Iterator[None]:
    """Errors name the output that the user asked for, where they would name temporary files or folders that become it."""

    def said(text: str) -> str:
        for one in temporary:
            text = re.sub(
                re.escape(str(one)) + r"(\.journal)?(\.tmp-[\w-]+)?", lambda _: path, text
            )
        return text

    try:
        yield
    except WarpsweepError as error:
        error.args = (said(str(error)), *error.args[1:])
        raise
    except OSError as error:
        what = said(str(error.filename or path))
        raise WarpsweepError(
            f"cannot write {what}: {error.strerror or said(str(error))}"
        ) from error


def write_into(folder: Path, name: str, data: str | bytes) -> None:
    """``write`` to a name that the user has not given. UsageError if it is a link, which leads elsewhere."""
    if (folder / name).is_symlink():
        raise UsageError(f"{folder / name} is a link: remove it, or choose another folder")
    write(folder / name, data)
