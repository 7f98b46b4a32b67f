"""unseen.py ROOT - the time model on families that its constants have not seen.

For each family of jobs/paper.yaml, the constants below are chosen anew, on one device and on all other families, and the
family is predicted on the other device: a row for each, with the share of points within 15 % as shipped and as left
out. The choice is the best of all combinations by the mean error of a family (of log times, at most 50 % a point).
Roofs and latencies are those of the profiles, which no point of these families has a part in but `copy`.
"""
import itertools
import sys

import numpy as np

from warpsweep import time_model
from warpsweep.predictions import accesses
from warpsweep.profiles import read
from warpsweep.reports.bounds import verdicts

CHOICES = {"OVERLAP": (2, 2.5, 3, 4), "BLOCK_TURNAROUND": (450, 590, 750), "ROUND_OVERHEAD": (200, 300, 400),
           "WARP_INSTRUCTIONS": (10, 15, 20), "GLOBAL_INSTRUCTIONS": (3, 4, 5)}
DEVICES, WORST, NEAR = ("h100", "h200"), np.log(1.5), np.log(1.15)


def errors(rows, profile, combinations):
    """Of each combination of constants (rows) and each point: the absolute error of the logarithm."""
    shipped, found = {name: getattr(time_model, name) for name in CHOICES}, []
    for constants in combinations:
        vars(time_model).update(zip(CHOICES, constants))
        found.append(np.log(rows["time_median"] / time_model.predict(rows, profile, "none")["predicted_time"]).abs())
    vars(time_model).update(shipped)
    return np.array(found)


def main():
    combinations = list(itertools.product(*CHOICES.values()))
    at = combinations.index(tuple(getattr(time_model, name) for name in CHOICES))
    rows, error = {}, {}
    for device in DEVICES:
        own = verdicts(accesses(f"{sys.argv[1]}/analysis/data/{device}-paper.h5"), read(device), "none")
        rows[device] = own[own["known"]]
        error[device] = errors(rows[device], read(device), combinations)
    total, chosen = {}, {}
    for family in rows["h200"]["kernel"].unique():
        cells = []
        for device, other in zip(DEVICES[::-1], DEVICES):
            kernels = rows[other]["kernel"]
            means = [error[other][:, kernels == one].clip(max=WORST).mean(axis=1) for one in kernels.unique() if one != family]
            best = int(np.mean(means, axis=0).argmin())
            good = error[device][:, rows[device]["kernel"] == family] < NEAR
            cells += [good[at], good[best]]
            chosen.setdefault(combinations[best], []).append(f"{family} ({other})")
        for column, cell in enumerate(cells):
            total.setdefault(column, []).append(cell)
        print(f"| {family} | {len(cells[0])} | {' | '.join(f'{100 * cell.mean():.1f} %' for cell in cells)} |")
    every = [np.concatenate(cells) for cells in total.values()]
    print(f"| **all** | {len(every[0])} | {' | '.join(f'{100 * cell.mean():.1f} %' for cell in every)} |")
    for constants, of in chosen.items():
        print(len(of), dict(zip(CHOICES, constants)), *(of if len(of) < 4 else []))


main()
