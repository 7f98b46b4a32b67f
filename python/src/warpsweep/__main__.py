"""``python3 -m warpsweep COMMAND ARGUMENTS``: the commands that read results files. ``warpsweep COMMAND`` starts it."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
import traceback
import warnings

from . import packages
from .commands import COMMANDS
from .errors import NoDataError, PackageError, UsageError, WarpsweepError, unknown
from .options import Command, parse

# Of stdout; files have their names.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def command(name: str) -> Command:
    """The command of that name; UsageError with the nearest one."""
    if name not in COMMANDS:
        raise unknown("command", name, COMMANDS)
    return COMMANDS[name]


def main(words: list[str]) -> int:
    """Run a command line; returns its exit code: 1 is that of a command, whatever goes wrong is 2 or 3. Raises PackageError:
    another Python may run it."""
    # of pandas, to us and not to those who read our output
    warnings.simplefilter("ignore", FutureWarning)
    warnings.filterwarnings("ignore", "Mean of empty slice")  # a median of what was not measured
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):  # whatever the locale: as the program `warpsweep`
            stream.reconfigure(encoding="utf-8", errors=errors)
    # many small objects, of which few are garbage: 5 % of a command's time
    gc.set_threshold(100_000)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends us silently
    try:
        if not words:
            raise UsageError(f"expected a command: {', '.join(COMMANDS)}")
        if words[0] in ("-h", "--help"):
            print(*(one.help.splitlines()[0] for one in COMMANDS.values()), sep="\n")
            return 0
        known = command(words[0])
        arguments = parse(known, words[1:])
        if arguments.given("help"):
            print(known.help, end="")
            return 0
        packages.check()
        packages.hold_texts_plainly()
        code = known.start(arguments)
        sys.stdout.flush()
        return code
    except PackageError:
        raise
    except (WarpsweepError, OSError) as error:
        return _expected(error)
    except MemoryError as error:
        return _fail(f"{words[0]}: not enough memory: {error}".rstrip(": "), 3)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 130
    except Exception as error:
        packages.check(load=True)  # if one is broken, that is why
        return _unforeseen(words, error)


def _expected(error: WarpsweepError | OSError) -> int:
    """What is wrong with options, files or the machine."""
    if isinstance(error, OSError) and error.errno in FULL and not error.filename:
        return _fail(f"cannot write the output: {error.strerror}", 3)
    if isinstance(error, NoDataError):
        return _fail(str(error), 1)
    wrong = isinstance(error, UsageError) or getattr(error, "exit_code", 3) == 2
    return _fail(str(error), 2 if wrong else 3)


def _fail(message: str, code: int) -> int:
    print(f"warpsweep: {message}", file=sys.stderr)
    return code


def _unforeseen(words: list[str], error: Exception) -> int:
    """A fault of this package: one line, with -v its traceback."""
    if {"-v", "--verbose"} & set(words):
        traceback.print_exc()
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    return _fail(f"{words[0]}: internal error: {what} ({where}); -v prints more", 3)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except PackageError as reason:
        code = _fail(str(reason), 3)
    sys.exit(code)
