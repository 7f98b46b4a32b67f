"""fewer.py ROOT - what jobs/copy.yaml tells by the first six samples of a process where ten were enough, and by all ten: how wide
intervals are, and how often those of `compare` hold another run on the same GPU."""
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np

from warpsweep.differences import prepare
from warpsweep.estimates import cells, finish, of_file
from warpsweep.results import read
from warpsweep.statistics import medians


def first(path, least):
    """The file, as if processes that took ten samples, the least, had taken so many."""
    results = read(path)
    found = cells(results)
    taken = found["samples"].mask(found["samples"] == 10, least)
    of = medians(results.sample_columns("seconds")["seconds"].to_numpy(), found["first"].to_numpy(), taken.to_numpy())
    results.cells = found.assign(samples=taken, log_median=np.log(of["median"]), variance=of["error"] ** 2, dof=of["dof"])
    return results


def main():
    data = pathlib.Path(sys.argv[1], "analysis/data")
    print(f"the range of six samples holds the median in {100 * (1 - 2 / 2**6):.0f} % of cases, of five in {100 * (1 - 2 / 2**5):.0f} %")
    for least in (6, 10):
        runs = [first(data / name, least) for name in ("h200-copy.h5", "h200-copy-again.h5")]
        of = finish(of_file(runs[0]).of(runs[0].rows.index))
        ratios = prepare(*runs).ratios.dropna(subset="low")
        held = 100 * np.mean(ratios["low"].le(1) & ratios["high"].ge(1))
        width = 100 * np.nanmedian(of["high"] / of["low"] - 1) / 2
        print(f"{least} samples at least: half-width {width:.2f} %; {held:.1f} % hold another run")


if __name__ == "__main__":
    main()
