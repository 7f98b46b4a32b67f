"""Reads the results files of warpsweep.

``load`` gives a file's rows as a pandas DataFrame, ``devices``, ``samples``, ``columns``, ``environment`` and ``job``
the rest of it; ``pivot``, ``to_polars`` and ``to_xarray`` turn the frame into what others want; ``compare`` has the
program ``warpsweep`` compare two files, and ``frame.ws.plot`` has it draw a figure. Nothing is worked out here that the program works out: no statistics, no
verdicts. Numbers are SI: seconds, bytes, hertz.
"""
from ._compare import compare
from ._error import AmbiguousError, JournalWarning, ProgramError, ResultsFileError, WarpsweepError
from ._plot import Accessor, Picture
from ._read import columns, devices, environment, job, load, samples
from ._shape import axes, pivot, to_polars, to_xarray

__all__ = [
    "Accessor", "AmbiguousError", "JournalWarning", "Picture", "ProgramError", "ResultsFileError", "WarpsweepError",
    "axes", "columns", "compare", "devices", "environment", "job", "load", "pivot", "samples", "to_polars",
    "to_xarray",
]
