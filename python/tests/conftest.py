"""The measured files of the tree, and small synthetic ones made by h5py. REPOSITORY and WARPSWEEP come from CTest."""
import functools
import os
import pathlib
import shutil
import sys

import h5py
import numpy as np
import pytest

from warpsweep import diagnosis, frames, packages, results

ROOT = pathlib.Path(os.environ.get("REPOSITORY", pathlib.Path(__file__).resolve().parents[2]))

DAILY = "h100-judge", "h100-links", "h200-mma", "h200-torch"  # with all quantities, one device and two
SHIPPED = [pytest.param(path, marks=[] if path.stem in DAILY else pytest.mark.weekly, id=f"{path.parent.name}/{path.stem}")
           for path in sorted((ROOT / "analysis/data").rglob("*.h5"))]  # every file weekly

packages.hold_texts_plainly()  # as commands do


def stamp(path):
    """A file and its journal, as they are now."""
    found = [os.stat(one) for one in (path, f"{os.fspath(path)}.journal") if os.path.exists(one)]
    return os.path.abspath(path), str(path), *((one.st_ino, one.st_mtime_ns, one.st_size) for one in found)


shared = {}  # Results that were read from files, which no test changes but on a deep copy, by their id


def once(function, copied=lambda value: value):
    """Of the same files and options a value is made once; `__wrapped__` makes it anew."""
    made = {}

    @functools.wraps(function)
    def known(of, **options):
        several = of if isinstance(of, (list, tuple)) else [of]
        if any(isinstance(one, results.Results) and id(one) not in shared for one in several):
            return function(of, **options)
        key = (*(id(one) if isinstance(one, results.Results) else stamp(one) for one in several),
               *((name, frozenset(option) if isinstance(option, (set, list, tuple)) else option) for name, option in sorted(options.items())))
        if key not in made:
            made[key] = function(of, **options)
            if isinstance(made[key], results.Results):
                shared[id(made[key])] = made[key]
        return copied(made[key])
    return known


def make_once(module, name, *copied):
    """Wherever it was imported already."""
    function = getattr(module, name)
    known = once(function, *copied)
    for of in [one for key, one in sys.modules.items() if key.partition(".")[0] == "warpsweep"]:
        for own, value in list(vars(of).items()):
            if value is function:
                setattr(of, own, known)


# What takes most of the time of a command.
make_once(results, "read")
make_once(frames, "frame", lambda frame: frame.copy())
make_once(diagnosis, "units_of")


@pytest.fixture(scope="session")
def paper():
    return ROOT / "analysis/data/h100-paper.h5"


@pytest.fixture(scope="session")
def small():
    return ROOT / "analysis/data/h100-energy.h5"


@pytest.fixture(scope="session")
def copies():
    return ROOT / "analysis/data/h100-copy.h5", ROOT / "analysis/data/h100-copy-again.h5"


@pytest.fixture(scope="session")
def oldest():
    return ROOT / "tests/release-0.1-h200-copy.h5"


@pytest.fixture(scope="session")
def program():
    found = os.environ.get("WARPSWEEP") or shutil.which("warpsweep")
    if not found:
        pytest.skip("WARPSWEEP does not say where the program is, and there is none on the PATH")
    os.environ["WARPSWEEP_PROGRAM"] = found
    return found


@pytest.fixture(scope="session")
def make_results():
    """tests/cli/make_results.c: writes a synthetic file of the present format."""
    found = os.environ.get("MAKE_RESULTS")
    if not found:
        pytest.skip("MAKE_RESULTS does not say where the program of that name is")
    return found


@pytest.fixture
def synthetic(tmp_path):
    """SYNTHETIC: five rows, with what real files seldom have: a missing axis, no device, 2^53 + 1 bytes."""
    path = tmp_path / "synthetic.h5"
    missing = np.iinfo(np.int64).min
    row = [("id", "S16"), ("kernel", "S8"), ("variant", "S8"), ("size", "i8"), ("stride", "i8"), ("repeat", "i8"),
           ("canary", "i8"), ("device", "i8"), ("status", "S8"), ("message", "S8"), ("sample_offset", "i8"),
           ("sample_count", "i8"), ("time_median", "f8"), ("time_ci_low", "f8"), ("time_ci_high", "f8")]
    rows = np.array([
        (b"0" * 16, b"copy", b"load", 2**53 + 1, 1, 0, 0, 0, b"ok", b"", 2, 2, 1.5, 1.0, 2.0),
        (b"1" * 16, b"copy", b"store", 2**53 + 1, 1, 0, 0, 0, b"ok", b"", 0, 2, 2.5, 2.0, 3.0),
        (b"2" * 16, b"copy", b"load", 2**53 + 1, 2, 0, 0, 0, b"ok", b"", 4, 1, 3.5, 3.0, 4.0),
        (b"3" * 16, b"latency", b"", 1024, missing, 0, 0, missing, b"failed", "µ".encode(), 0, 0, *[np.nan] * 3),
        (b"0" * 16, b"copy", b"load", 2**53 + 1, 1, 1, 1, 0, b"ok", b"", 5, 1, 1.6, np.nan, np.nan)], row)
    axis, unit = {"variant", "size", "stride"}, {"size": "bytes", "time_median": "s", "time_ci_low": "s"}
    columns = [(b"results", name.encode(), b"", b"axis" if name in axis else b"other", unit.get(name, "").encode(),
                b"") for name, _ in row]
    with h5py.File(path, "w") as file:
        file.attrs["format"], file.attrs["format_version"] = np.bytes_("warpsweep results"), 1
        file["results"] = rows
        file["samples"] = np.array([(2.4, 7), (2.6, 7), (1.4, 8), (1.6, 8), (3.5, 9), (1.6, 8)],
                                   [("seconds", "f8"), ("process", "u4")])
        file["devices"] = np.array([(b"Made-up device", -1)], [("name", "S16"), ("numa_node", "i8")])
        file["columns"] = np.array(columns, [(name, "S16") for name in
                                             ("table", "name", "type", "role", "unit", "meaning")])
    return path


@pytest.fixture
def placeholders(monkeypatch):
    """Figures of papers are made, but not drawn: a small picture takes their place."""
    drawing = pytest.importorskip("warpsweep.paper.drawing")
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/MediaBox[0 0 240 150]/Parent 2 0 R/Resources<<>>>>"]
    pdf, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    pdf += (b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
            + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(pdf))

    def draw(drawings, out, keep_data=False):
        for one in drawings:
            path = out / f"{one.figure.name}.{one.look.format}"
            path.write_bytes(pdf if one.look.format == "pdf" else b'<svg viewBox="0 0 240 150"></svg>')
    monkeypatch.setattr(drawing.gnuplot, "draw", draw)
