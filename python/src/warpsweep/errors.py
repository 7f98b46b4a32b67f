"""The errors of this package. Each message says in which file something is wrong and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED = 40  # words in a message


class WarpsweepError(Exception):
    """Whatever this package raises of its own. As a command's error it ends with exit code 3: the environment."""


class UsageError(WarpsweepError):
    """Wrong options, or a column, value or figure that does not exist. A command ends with exit code 2."""


class ResultsFileError(WarpsweepError):
    """The file is missing, corrupt, not written by warpsweep, or of a release that this package cannot read."""


class MissingFileError(ResultsFileError):
    """There is no such file, or it is a folder or a pipe. A command ends with exit code 2, as for every wrong name."""

    exit_code = 2


class NoDataError(WarpsweepError):
    """Nothing can be drawn, or a paper has no result. A command ends with exit code 1."""


class PackageError(WarpsweepError, ImportError):
    """This Python lacks a package, or has one that is too old or broken."""


class ProgramError(WarpsweepError):
    """The program ``warpsweep`` was not found, or refused: ``exit_code`` has its exit code, or None."""

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def whole(what: str, text: str, minimum: int = 0) -> int:
    """A whole number of at least ``minimum``; UsageError otherwise."""
    if not text.isascii() or not text.isdigit() or int(text) < minimum:
        raise UsageError(f"{what} '{text[:40]}': expected a whole number from {minimum}")
    return int(text)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant, or None."""
    words = list(known)
    begins = [one for one in words if len(word) >= 3 and one.lower().startswith(word.lower())]
    close = difflib.get_close_matches(word.lower(), [one.lower() for one in words], 1, 0.6)
    if begins:
        # `time` means time_median, not timer
        longer = [one for one in begins if one.lower().startswith(f"{word.lower()}_")]
        return longer[0] if longer else min(begins, key=len)
    return next(one for one in words if one.lower() == close[0]) if close else None


def unknown(what: str, word: str, known: Iterable[str]) -> UsageError:
    """``unknown column 'tyme' (did you mean 'time'?)``; without a similar word, the known ones."""
    words = list(known)
    meant = nearest(word, words)
    some = ", ".join(words[:LISTED]) or "none"
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    hint = f" (did you mean '{meant}'?)" if meant else f"; known: {some}{more}"
    return UsageError(f"unknown {what} '{word[:80]}'{hint}")
