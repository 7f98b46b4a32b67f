"""What two files ran for each of their common points: code, launch and protocol, whose hashes are in the file, apart."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from .columns import reals
from .comparison import Comparison
from .results import Results

SAME, DIFFERS, UNKNOWN = "same", "differs", ""
# Columns of which other values prove that the other part differed, in files without hashes too.
PROOFS = {
    "code": ("registers", "shared_static", "local_bytes"),
    "launch": ("grid_blocks", "block_threads", "shared_dynamic"),
    "protocol": (),
}


# Names of /environment, from closure.h, that begin so; beside those that fit the patterns of the pair `variables`.
LOADED = ("file.", "library.", "module.", "interpreter")


def loaded(a: Results, b: Results) -> list[str]:
    """What the workers of two files had loaded, or were set to, that differs: "NAME (IN A, IN B)". Where one file does not have
    a name nothing is known, unless it is of a variable that the file would have if it was set."""
    pairs = [file.environment_pairs for file in (a, b)]
    patterns = [of.get("variables", "").split() for of in pairs]
    found = []
    for name in sorted(pairs[0].keys() | pairs[1].keys()):
        fits = [any(fnmatchcase(name, one) for one in of) for of in patterns]
        x, y = (of.get(name, "not set" if known else None) for of, known in zip(pairs, fits))
        if (any(fits) or name.startswith(LOADED)) and x != y and None not in (x, y):
            what = name.replace(".", " ", 1) if name.startswith(LOADED) else name
            found.append(f"{what} ({x}, {y})")
    return found


def other_reference(kernel: str, a: Results, b: Results) -> bool:
    """Whether both files have the hash of a family's descriptor and reference, and it differs."""
    x, y = (file.env(f"reference.{kernel}") for file in (a, b))
    return x != y and None not in (x, y)


def of_points(c: Comparison) -> pd.DataFrame:
    """Columns code, launch, protocol for each pair: "same", "differs" or "", which is unknown.

    Files of earlier releases have no such hashes. They have one of all that a family is compiled from: if it is the
    same, so is the code; if not, the code may still be."""
    found = {}
    for part, columns in PROOFS.items():
        a, b = (c.texts(side, f"{part}_hash") for side in (0, 1))
        known = (a != "") & (b != "")
        other = pd.Series(False, c.pairs.index)
        for column in columns:
            x, y = (
                reals(file.rows, column).reindex(c.pairs[side]).to_numpy()
                for file, side in zip(c.files, "ab")
            )
            other |= (x != y) & ~np.isnan(x) & ~np.isnan(y)
        family = c.pairs["kernel"].map(_same_families(c)).astype(bool) & (part == "code")
        found[part] = np.select(
            [known & (a == b), known | other, family], [SAME, DIFFERS, SAME], UNKNOWN
        )
    return pd.DataFrame(found, c.pairs.index).where(c.on_both, UNKNOWN)


def _same_families(c: Comparison) -> dict[str, bool]:
    """Of each family: whether both files have the same hash of all that it is compiled from."""
    of = {}
    for kernel in c.pairs["kernel"].unique():
        one, other = (file.env(f"code.{kernel}") for file in c.files)
        of[kernel] = not c.by and one is not None and one == other
    return of


def of_family(parts: Iterable[str]) -> str:
    """Of several points: "differs" if one does, "same" if all are the same, else ""."""
    words = set(parts)
    if DIFFERS in words:
        return DIFFERS
    return SAME if words == {SAME} else UNKNOWN


def of_families(c: Comparison) -> pd.DataFrame:
    """`of_family` of each family with points in both files."""
    parts = of_points(c)[c.on_both]
    return parts.groupby(c.pairs["kernel"]).agg(of_family)
