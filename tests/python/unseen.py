"""unseen.py ROOT - the time model on families that its constants have not seen.

For each family of jobs/paper.yaml, the constants below are chosen anew, on one device and on all other families, and the
family is predicted on the other device. A row has the points, and for the H200 and the H100 the shares within 15 %: as
shipped, with the family left out, and of the baseline (report --bounds --reference). The choice is the best of all
combinations by the mean error of a family (of log times, at most 50 % a point).

Exit 1 if ERRORS of time_model are others: the factor within which 95 % of a family's points lie that was left out, on both
devices; "" of points without known addresses.

Then a row for other files: known addresses within 15 % and their number, all points within 15 % and their number.
"""
import itertools
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np

from warpsweep import time_model
from warpsweep.predictions import accesses
from warpsweep.profiles import read
from warpsweep.reports.bounds import baseline, verdicts

CHOICES = {"OVERLAP": (2, 2.5, 3, 4), "BLOCK_TURNAROUND": (450, 590, 750), "ROUND_OVERHEAD": (200, 300, 400),
           "WARP_INSTRUCTIONS": (10, 15, 20), "GLOBAL_INSTRUCTIONS": (3, 4, 5)}
OTHERS = {"`paper.yaml` on three other GPUs": ("h100-runs/unit2-paper", "h200-held-out/unit8-paper", "h200-held-out/unit9-paper"),
          "`matmul`, `ladder`": ("h100-matmul", "h200-matmul", "h100-ladder", "h200-ladder"),
          "`energy`, `judge`, `profile`, L2": ("h100-energy", "h200-energy", "h100-judge", "h200-judge", "h100-profile", "h200-profile",
                                               "h100-l2-bandwidth", "h100-l2-fetch"),
          "`links`": ("h100-links", "h100-links-again", "h100-link-matrix", "h200-links", "h200-links-counted"),
          "`types`, `numerics`": ("h200-types", "h100-numerics", "h200-numerics"),
          "`chip`": ("h100-chip", "h100-chip-again", "h200-chip"),
          "`contention`": ("h100-contention", "h200-contention"),
          "`collectives`": ("h100-collectives", "h100-collectives-4")}
DEVICES, WORST, NEAR = ("h100", "h200"), np.log(1.5), np.log(1.15)


def errors(rows, profile, combinations):
    """Of each combination of constants (rows) and each point: the absolute error of the logarithm."""
    shipped, found = {name: getattr(time_model, name) for name in CHOICES}, []
    for constants in combinations:
        vars(time_model).update(zip(CHOICES, constants))
        found.append(np.log(rows["time_median"] / time_model.predict(rows, profile, "none")["predicted_time"]).abs())
    vars(time_model).update(shipped)
    return np.array(found)


def predicted(root, name):
    """The measured points of a file: by the shipped profile, or by the roofs of the run where it lacks tensor cores."""
    rows = accesses(f"{root}/analysis/data/{name}.h5")
    return verdicts(rows, None if (rows["kernel"] == "tensor_matmul").any() else read(name[:4]), "none")


def print_others(root):
    for title, names in OTHERS.items():
        every = [predicted(root, name) for name in names]
        good, known = (np.concatenate(cells) for cells in zip(*(
            (np.abs(np.log(rows["ratio"])) < NEAR, rows["known"]) for rows in every)))
        seen = {kernel in time_model.FITTED for rows in every for kernel in rows["kernel"]}
        kinds = "both" if len(seen) > 1 else "fitted" if True in seen else "not seen"
        cells = [f"{100 * of.mean():.1f} % of {len(of)}" if len(of) else "-" for of in (good[known], good)]
        print(f"| {title} | {kinds} | {' | '.join(cells)} |")


def main():
    combinations = list(itertools.product(*CHOICES.values()))
    at = combinations.index(tuple(getattr(time_model, name) for name in CHOICES))
    rows, error, unknown, factors = {}, {}, [], {}
    for device in DEVICES:
        own = predicted(sys.argv[1], f"{device}-paper")
        rows[device] = own[own["known"]]
        unknown.append(own.loc[~own["known"], "ratio"])
        error[device] = errors(rows[device], read(device), combinations)
    total, chosen = {}, {}
    for family in rows["h200"]["kernel"].unique():
        cells = []
        for device, other in zip(DEVICES[::-1], DEVICES):
            kernels = rows[other]["kernel"]
            means = [error[other][:, kernels == one].clip(max=WORST).mean(axis=1) for one in kernels.unique() if one != family]
            best = int(np.mean(means, axis=0).argmin())
            off = error[device][:, rows[device]["kernel"] == family]
            good = off < NEAR
            factors.setdefault(family, []).append(off[best])
            simple = np.abs(np.log(baseline(rows[device], rows[other]).to_numpy()))
            cells += [good[at], good[best], simple[rows[device]["kernel"] == family] < NEAR]
            chosen.setdefault(combinations[best], []).append(f"{family} ({other})")
        for column, cell in enumerate(cells):
            total.setdefault(column, []).append(cell)
        print(f"| {family} | {len(cells[0])} | {' | '.join(f'{100 * cell.mean():.1f} %' for cell in cells)} |")
    every = [np.concatenate(cells) for cells in total.values()]
    print(f"| **all** | {len(every[0])} | {' | '.join(f'{100 * cell.mean():.1f} %' for cell in every)} |")
    for constants, of in chosen.items():
        print(len(of), dict(zip(CHOICES, constants)), *(of if len(of) < 4 else []))
    factors[""] = [np.abs(np.log(np.concatenate(unknown)))]
    print_others(sys.argv[1])
    now = {name: round(float(np.exp(np.quantile(np.concatenate(of), 0.95))), 2) for name, of in factors.items()}
    if now != time_model.ERRORS:
        sys.exit(f"ERRORS of time_model.py are {time_model.ERRORS}, measured {now}")


main()
