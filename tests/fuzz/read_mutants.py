"""read_mutants.py SOURCE [COUNT] [SEED] - the Python package reads results files of which one to four cells were changed and the checksums
put right, all in one process: each is read into frames, or refused by an error of the package."""
import random
import sys
import tempfile
import traceback
import zlib
from pathlib import Path

import h5py
import numpy as np

source, count, seed = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 150, int(sys.argv[3]) if len(sys.argv) > 3 else 1
sys.path.insert(0, str(source / "python/src"))
import warpsweep  # noqa: E402

NUMBERS = (-1, 0, 1, 7, 1 << 40, -(1 << 63), (1 << 63) - 1)
REALS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 5e-324)
TEXTS = (b"", b"\xff\xfe", b"\x1b[2J", b"nan", b"ok", b"0" * 16, "µ".encode(), b"[1, [", b"x" * 64)
bases = [source / "analysis/data" / name for name in ("h100-copy.h5", "h200-copy.h5")] + [source / "tests/release-0.1-h200-copy.h5"]
folder = Path(tempfile.mkdtemp())
accepted = refused = 0
for nth in range(seed, seed + count):
    dice = random.Random(nth)
    base, path, changes = dice.choice(bases), folder / "mutant.h5", []
    path.write_bytes(base.read_bytes())
    with h5py.File(path, "r+") as file:
        for _ in range(dice.randint(1, 4)):
            table = dice.choice([name for name in ("results", "samples", "devices", "columns", "environment") if len(file[name])])
            cells = file[table][:]
            name, row = dice.choice(cells.dtype.names), dice.randrange(len(cells))
            choice = {"S": TEXTS, "f": REALS}.get(cells.dtype[name].kind, NUMBERS)
            value = dice.choice(choice)
            if cells.dtype[name].kind in "iu":
                value = min(max(value, int(np.iinfo(cells.dtype[name]).min)), int(np.iinfo(cells.dtype[name]).max))
            cells[name][row] = value
            changes.append((table, name, row, value))
            file[table][:] = cells
            if "crc32" in file[table].attrs:
                file[table].attrs["crc32"] = np.int64(zlib.crc32(cells.tobytes()))
    try:
        results = warpsweep.read(path)
        len(results.samples), len(results.timeline), len(warpsweep.frame([results])), len(warpsweep.load(path))
        accepted += 1
    except warpsweep.WarpsweepError as error:
        assert "\n" not in str(error) and path.name in str(error), (nth, str(error))
        refused += 1
    except Exception:
        traceback.print_exc()
        sys.exit(f"seed {nth}, {base.name}: {changes}")
assert accepted and refused, (accepted, refused)
print(f"seeds {seed} to {seed + count - 1}: {accepted} read, {refused} refused")
