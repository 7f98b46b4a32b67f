"""detectable.py FOLDER - of points that were made 2 % slower, how many compare calls slower, by their duration.

Pairs of runs of one job on one GPU, in FOLDER. All times of the second run are multiplied by 1.02. Three processes a file.
"""
import pathlib
import sys
import tempfile

sys.path[:1] = [str(pathlib.Path(__file__).resolve().parents[2] / "python" / part) for part in ("src", "tests")]
import numpy as np
import pandas as pd
from planted import changed

import warpsweep

SLOWER, EDGES = 1.02, (0, 2e-6, 4e-6, 10e-6, 100e-6, np.inf)
NAMES = ("below 2 us", "2 to 4 us", "4 to 10 us", "10 to 100 us", "above 100 us")


def main():
    parts = []
    for second in sorted(pathlib.Path(sys.argv[1]).glob("*-copy-again.h5")):
        with tempfile.TemporaryDirectory() as folder:
            slow = changed(second, pathlib.Path(folder, second.name), SLOWER)
            parts.append(warpsweep.compare(second.with_name(second.name.replace("-again", "")), slow))
    table = pd.concat(parts)
    table = table[table["ratio"].notna()]
    print(f"{100 * (SLOWER - 1):.0f} % slower, {len(parts)} pairs of runs")
    slower = (table["verdict"] == "slower").groupby(pd.cut(table["time_a"], EDGES, labels=NAMES), observed=False)
    for name, of in slower:
        print(f"| {name} | {len(of)} | {100 * of.mean():.1f} % |")
    print(f"{(table['verdict'] == 'faster').sum()} faster")


main()
