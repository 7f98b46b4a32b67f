"""The errors of this package. Each message says in which file something is wrong and what to do."""

from __future__ import annotations


class WarpsweepError(Exception):
    """Whatever this package raises of its own. As a command's error it ends with exit code 3: the environment."""


class UsageError(WarpsweepError):
    """Wrong options, or a column, value or figure that does not exist. A command ends with exit code 2."""


class ResultsFileError(WarpsweepError):
    """The file is missing, corrupt, not written by warpsweep, or of a release that this package cannot read."""


class MissingFileError(ResultsFileError):
    """There is no such file. A command ends with exit code 2, as for every wrong name."""

    exit_code = 2


class PackageError(WarpsweepError, ImportError):
    """This Python lacks a package, or has one that is too old or broken."""


class ProgramError(WarpsweepError):
    """The program ``warpsweep`` was not found, or refused: ``exit_code`` has its exit code, or None."""

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
