"""Copies of shipped results files with something planted, and commands that run in this process."""
import contextlib
import io
import shutil
import types
import zlib

import h5py
import numpy as np

from warpsweep.__main__ import main


def said(*arguments):
    """Exit code and output of a command, run in this process."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(list(map(str, arguments)))
    return types.SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=errors.getvalue())


def rewritten(path, **tables):
    """Tables of a file replaced, with their checksums, which the first releases did not write."""
    with h5py.File(path, "r+") as file:
        for name, table in tables.items():
            attributes = dict(file[name].attrs)
            del file[name]
            file[name] = table
            file[name].attrs.update(attributes)
            if "crc32" in attributes:
                file[name].attrs["crc32"] = np.int64(zlib.crc32(table.tobytes()))
    return path


def table(path, name):
    with h5py.File(path) as file:
        return file[name][:]


def of_another_board(source, target):
    """As if another run had measured an H200 of another revision than those of the references."""
    devices, environment = table(source, "devices"), table(source, "environment")
    devices["board_part"] = b"692-2G520-0282-000"
    environment["value"][environment["name"] == b"start"] = b"2026-11-28T00:00:00Z"
    return rewritten(shutil.copy(source, target), devices=devices, environment=environment)


def changed(source, target, factor, rows=lambda t: np.ones(len(t), bool)):
    """A copy of a results file with the times of some rows multiplied, as a slower device would have them."""
    results, samples = table(source, "results"), table(source, "samples")
    for row in results[rows(results)]:
        begin, count = row["sample_offset"], row["sample_count"]
        samples["seconds"][begin:begin + count] *= factor
    for name in [n for n in results.dtype.names if n.startswith("time_")]:
        results[name] = np.where(rows(results), results[name] * factor, results[name])
    return rewritten(shutil.copy(source, target), results=results, samples=samples)
