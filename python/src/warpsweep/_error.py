"""What can go wrong, each with a message that says in which file and what to do."""


class WarpsweepError(Exception):
    """Whatever this package raises of its own."""


class ResultsFileError(WarpsweepError):
    """The file is not there, is none of warpsweep's, or of a release that this package cannot read."""


class AmbiguousError(WarpsweepError):
    """Several rows would share a cell. They are never averaged."""


class ProgramError(WarpsweepError):
    """The program ``warpsweep`` is not to be found, or refused: ``exit_code`` has its exit code, or None."""

    def __init__(self, message: str, exit_code: "int | None" = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class JournalWarning(UserWarning):
    """Beside the file lies a journal with results that are not in the file yet."""
