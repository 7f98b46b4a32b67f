"""Reads the results files of warpsweep.

``load`` gives the rows of files as a pandas DataFrame, ``samples`` the raw samples; ``read`` the rest of a file: devices, columns,
environment and job. What the commands of ``warpsweep`` do with files is one call each. Numbers are SI: seconds, bytes, hertz."""

import sys
from importlib import import_module
from typing import Any

PYTHON = (3, 9)
if sys.version_info < PYTHON:  # Python 3.6 can read this file, and no other
    _reason = "warpsweep needs Python {}.{} or newer, and {} is {}.{}".format(
        *PYTHON, sys.executable, *sys.version_info[:2]
    )
    if getattr(sys, "argv", [])[:1] == ["-m"]:  # an exit code of 1 would be a verdict
        sys.stderr.write(_reason + "\n")
        sys.exit(3)
    raise ImportError(_reason)

_HOME = {  # loaded when first used: importing the package imports neither pandas nor h5py
    "ProgramError": "errors",
    "ResultsFileError": "errors",
    "UsageError": "errors",
    "WarpsweepError": "errors",
    "axes": "selecting",
    "derive": "selecting",
    "frame": "frames",
    "load": "frames",
    "samples": "frames",
    "where": "selecting",
    "best_variants": "findings",
    "formulas": "laws",
    "fleets": "fleet",
    "predict": "time_model",
    "profile": "profiles",
    "Profile": "profiles",
    "Picture": "plots",
    "plot": "plots",
    "read": "results",
    "Results": "results",
    "compare": "differences",
    "families": "differences",
    "history": "histories",
    "judge": "diagnosis",
    "reproduce": "reproducing",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'warpsweep' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
