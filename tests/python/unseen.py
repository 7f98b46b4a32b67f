"""unseen.py ROOT - the time model on families that its constants have not seen, beside the baseline.

For each family of jobs/paper.yaml, the constants below are chosen anew, on one device and on all other families, and the
family is predicted on the other device. A row has the points, and for the H200 and the H100 the shares within 15 %: of the
formula as shipped, with the family left out, and of the baseline; then which of both the model takes. "?" are points without
known addresses. The choice is the best of all combinations by the mean error of a family (of log times, at most 50 % a point).

Exit 1 if BASELINE of time_model are others than those for which the baseline is better, or ERRORS than the factor within which
95 % of the points lie, by the baseline or with the family left out, on both devices; "": of all points without known addresses,
by the formula. UPDATE=1 in the environment writes the factors of families that have one.

Then a row for other files: the shares within 15 % and the numbers of points with known addresses, and of all; how many points
have no prediction.
"""
import itertools
import os
import pathlib
import re
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np
import pandas as pd

from warpsweep import time_model
from warpsweep.frames import frame
from warpsweep.profiles import read
from warpsweep.reports.bounds import baseline, verdicts, with_accesses
from warpsweep.rows import knows_addresses

CHOICES = {"OVERLAP": (2, 2.5, 3, 4), "BLOCK_TURNAROUND": (450, 590, 750), "ROUND_OVERHEAD": (200, 300, 400),
           "WARP_INSTRUCTIONS": (10, 15, 20), "GLOBAL_INSTRUCTIONS": (3, 4, 5)}
FILES = ("paper", "contention", "collectives")  # of both devices, and of the last two what they alone have
OTHERS = {"`paper.yaml` on three other GPUs": ("h100-runs/unit6-paper", "h200-runs/unit10-paper", "h200-runs/unit9-paper"),
          "`matmul`, `ladder`": ("h100-matmul", "h100-ladder", "h200-ladder"),
          "`energy`, `judge`, `profile`, L2": ("h100-energy", "h200-energy", "h200-judge", "h100-profile", "h200-profile",
                                               "h100-l2-bandwidth", "h100-l2-fetch"),
          "`links`": ("h100-links", "h100-link-matrix", "h200-links"),
          "`tensor_matmul`, `numerics`": ("h100-tensor", "h200-tensor", "h100-numerics", "h200-numerics"),
          "`chip`": ("h100-chip", "h200-chip"),
          "`contention`": ("h100-contention", "h200-contention"),
          "`collectives`": ("h100-collectives", "h100-collectives-4", "h200-collectives")}
DEVICES, WORST, NEAR = ("h200", "h100"), np.log(1.5), np.log(1.15)
MARGIN = 0.02  # a formula that is worse by less is kept: it predicts other sizes, too
root = sys.argv[1]


def accesses(name):
    rows = frame(f"{root}/analysis/data/{name}.h5")
    return with_accesses(rows, rows.attrs["results"][0], 0)


def of_device(device):
    """The points of FILES, with `kind`."""
    every = [accesses(f"{device}-{name}") for name in FILES]
    every[1:] = [rows[rows["kernel"].isin(time_model.BASELINE)] for rows in every[1:]]
    rows = pd.concat(every, ignore_index=True)
    return rows.assign(kind=time_model.kinds(rows))


def off(ratio):
    return np.log(ratio).abs()


def compared():
    """By kind, and for each device, the errors of its points: by the formula, with the family left out, of the baseline."""
    shipped, rows = {name: getattr(time_model, name) for name in CHOICES}, {device: of_device(device) for device in DEVICES}
    combinations, error = list(itertools.product(*CHOICES.values())), {device: [] for device in DEVICES}
    chosen, time_model.BASELINE = time_model.BASELINE, {}
    for constants in combinations:
        vars(time_model).update(zip(CHOICES, constants))
        for device in DEVICES:
            predicted = time_model.predict(rows[device], read(device), "none")["predicted_time"]
            error[device].append(off(rows[device]["time_median"] / predicted))
    vars(time_model).update(shipped, BASELINE=chosen)
    at, found = combinations.index(tuple(shipped.values())), {}
    unknown = [error[device][at][~knows_addresses(rows[device])].dropna() for device in DEVICES]
    for device, other in zip(DEVICES, DEVICES[::-1]):
        kind, simple = rows[other]["kind"], off(baseline(rows[device], rows[other]))
        fit = ~kind.isin(time_model.BASELINE) & ~kind.str.endswith("?")
        means = pd.DataFrame(error[other]).clip(upper=WORST).loc[:, fit].T.groupby(kind[fit]).mean()
        for name, of in rows[device][simple.notna() & error[device][at].notna()].groupby("kind"):
            best = int(means.drop(index=name, errors="ignore").mean().to_numpy().argmin())
            found.setdefault(name, []).append([e[of.index] for e in (error[device][at], error[device][best], simple)])
    return found, unknown


def shares(cells):
    return [f"{100 * (cell < NEAR).mean():.1f}" for cell in cells]


def print_families(found, unknown):
    """Returns BASELINE and ERRORS as they should be."""
    better, factors, every = set(), {"": unknown}, {False: [], True: []}
    for name, of in found.items():
        good = [np.mean([(cells[which] < NEAR).mean() for cells in of]) for which in (1, 2)]
        takes = good[1] > good[0] + MARGIN
        better |= {name} if takes else set()
        factors[name] = [cells[2 if takes else 1] for cells in of]
        every[name.endswith("?")].append([[*cells, cells[2 if takes else 0]] for cells in of])
        print(f"| {name} | {len(of[0][0])} | {' | '.join(shares(cell for cells in of for cell in cells))} | "
              f"{'baseline' if takes else 'formula'} |")
    for title, of in (("all but ?", every[False]), ("all", every[False] + every[True])):
        cells = [np.concatenate([used[device][which] for used in of]) for device in (0, 1) for which in range(4)]
        print(f"| **{title}** | {len(cells[0])} | {' | '.join(shares(cells[:3] + cells[4:7]))} | "
              f"{' and '.join(shares([cells[3], cells[7]]))} |")
    return better, {name: round(float(np.exp(np.quantile(np.concatenate(of), 0.95))), 2) for name, of in factors.items()}


def print_others():
    for title, names in OTHERS.items():
        every, measured = [], 0
        for name in names:
            rows = accesses(name)  # by the roofs of the run where the profile lacks tensor cores
            every.append(verdicts(rows, None if (rows["kernel"] == "tensor_matmul").any() else read(name[:4]), "none"))
            measured += len(rows)
        rows = pd.concat(every)
        kinds = sorted({"baseline" if name in time_model.BASELINE else "fitted" if name in time_model.FITTED else "not seen"
                        for name in rows["kernel"]})
        cells = [f"{shares([off(of['.ratio'])])[0]} % of {len(of)}" if len(of) else "-" for of in (rows[rows[".known"]], rows)]
        print(f"| {title} | {', '.join(kinds)} | {' | '.join(cells)} | {measured - len(rows)} |")


def main():
    better, errors = print_families(*compared())
    if os.environ.get("UPDATE"):
        package = pathlib.Path(root, "python/src/warpsweep")
        for name, factor in errors.items():
            module, field = name.removesuffix("?"), "error_unknown=" if name.endswith("?") else "error="
            path = package / "kernels" / (f"{module}.py" if (package / f"kernels/{module}.py").exists() else f"{module}/__init__.py")
            if not module:
                path, field = package / "time_model.py", "ERROR_UNKNOWN = "
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(rf"\b{field}[\d.]+", f"{field}{factor}", text), encoding="utf-8")
        time_model.ERRORS = errors
    print()
    print_others()
    for name, ours, now in (("BASELINE", set(time_model.BASELINE), better), ("ERRORS", time_model.ERRORS, errors)):
        if ours != now:
            sys.exit(f"{name} of time_model.py are {ours}, measured {now}")


main()
