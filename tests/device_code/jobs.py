#!/usr/bin/env python3
"""jobs.py BUILD SOURCE [--update] - compile every shipped job for every architecture, and compare the table with tests/device_code/jobs.md.

A kernel that does not compile fails. A point that an architecture cannot have is refused before compiling, with a reason; its count is
in the table.
"""
import glob
import os
import re
import subprocess
import sys

ARCHITECTURES = "sm_80 sm_86 sm_89 sm_90a sm_100a sm_103a sm_120a sm_121a".split()
BEGIN, END = "<!-- table: tests/device_code/jobs.py -->\n", "<!-- end of table -->\n"


def check(build, job):
    """Kernels and unsupported points of each architecture, and what failed."""
    options = [word for arch in ARCHITECTURES for word in ("--arch", arch)]
    environment = dict(os.environ, WARPSWEEP_CACHE=os.path.join(build, "device_code"))
    done = subprocess.run([os.path.join(build, "bin/warpsweep"), "check", job, *options], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    cells, wrong = {}, []
    for part in re.split(r"^== ", done.stdout, flags=re.M)[1:]:
        arch = part.split()[0]
        points = sum(int(n) for n in re.findall(r"^\w+: (\d+) points?\b", part, flags=re.M))
        refused = sum(int(n) for n in re.findall(r"^  unsupported +(\d+)", part, flags=re.M))
        compiled = re.search(rf"^{arch}: (?:all )?(\d+) kernels? compiles?$", part, flags=re.M)
        if not compiled and refused < points:
            wrong.append(f"{os.path.basename(job)} for {arch}: {part[-600:]}")
        cells[arch] = (int(compiled.group(1)) if compiled else 0, refused, points)
    if not cells:
        wrong.append(f"{os.path.basename(job)}: {done.stdout[-600:]}")
    return cells, wrong


def main():
    build, source = sys.argv[1:3]
    rows, failures = [], []
    for job in sorted(glob.glob(os.path.join(source, "jobs/*.yaml"))):
        cells, wrong = check(build, job)
        failures += wrong
        points = max((c[2] for c in cells.values()), default=0)
        rows.append(f"| `{os.path.basename(job)[:-5]}` | {points} | " + " | ".join(
            "{} ({})".format(*cells[a][:2]) if a in cells and cells[a][1] else str(cells[a][0]) if a in cells else "?"
            for a in ARCHITECTURES) + " |\n")
    table = ("| job | points | " + " | ".join(f"`{a}`" for a in ARCHITECTURES) + " |\n" +
             "|---" * (len(ARCHITECTURES) + 2) + "|\n" + "".join(rows))
    path = os.path.join(source, "tests/device_code/jobs.md")
    with open(path, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    shown, _, after = rest.partition(END)
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + table + END + after)
    elif shown != table:
        failures.append("tests/device_code/jobs.md has another table; tests/device_code/jobs.py BUILD SOURCE --update writes this one:\n" +
                        table)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
