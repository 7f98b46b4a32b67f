"""``python3 -m warpsweep COMMAND ARGUMENTS``: the commands that read results files. ``warpsweep COMMAND`` starts it."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings

from .commands import COMMANDS
from .errors import UsageError, WarpsweepError
from .options import Command, parse, unknown

PACKAGES = {
    "h5py": "python3-h5py",
    "numpy": "python3-numpy",
    "pandas": "python3-pandas",
    "scipy": "python3-scipy",
    "jinja2": "python3-jinja2",
}  # and Debian's packages of them


def command(name: str) -> Command:
    """The command of that name; UsageError with the nearest one."""
    if name not in COMMANDS:
        raise unknown("command", name, COMMANDS)
    return COMMANDS[name]


SYSTEM = "/usr/bin/python3"  # has the distribution's packages; the first one of the PATH may be that of pyenv or conda
START = (
    "import sys; sys.path[:] = [folder for folder in sys.path if folder]; import runpy; "
    "runpy.run_module('warpsweep', run_name='__main__', alter_sys=True)"
)  # as src/cli/readers.c has it


def main(words: list[str]) -> int:
    """Run a command line; returns its exit code."""
    warnings.simplefilter(
        "ignore", FutureWarning
    )  # of pandas, to us and not to those who read our output
    warnings.filterwarnings("ignore", "Mean of empty slice")  # a median of what was not measured
    gc.set_threshold(
        100_000
    )  # many small objects, of which few are garbage: 5 % of a command's time
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends us silently
    try:
        if not words:
            raise UsageError(f"expected a command: {', '.join(COMMANDS)}")
        known = command(words[0])
        arguments = parse(known, words[1:])
        if arguments.given("help"):
            print(known.help, end="")
            return 0
        code = known.start(arguments)
        sys.stdout.flush()
        return code
    except ImportError as error:
        module = (error.name or "").split(".")[0]
        if module not in PACKAGES:
            raise
        missing = isinstance(error, ModuleNotFoundError)
        if "WARPSWEEP_PYTHON" not in os.environ and os.access(
            SYSTEM, os.X_OK
        ):  # once, unless the user has chosen one
            os.environ["WARPSWEEP_PYTHON"] = SYSTEM
            os.execv(SYSTEM, [SYSTEM, "-c", START, *words])
        print(
            f"warpsweep: {words[0]} needs the Python package {module}{'' if missing else f' ({error})'}: apt-get install "
            f"{PACKAGES[module]}, or {sys.executable} -m pip install {module}",
            file=sys.stderr,
        )
        return 3
    except UsageError as error:
        print(f"warpsweep: {error}", file=sys.stderr)
        return 2
    except (WarpsweepError, OSError) as error:
        print(f"warpsweep: {error}", file=sys.stderr)
        return getattr(error, "exit_code", None) or 3
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
