"""published.py WARPSWEEP ROOT - the table of docs/blackwell.md of what is predicted and published is today's.

Of each published value that points of jobs/first_day.yaml measure, and that is predicted. UPDATE=1 in the environment writes
the table. Exit 1 if it is another one, or if a published value is outside of the interval of the prediction by over 5 %."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

warpsweep, root = sys.argv[1:3]
sys.path[0] = f"{root}/python/src"
from warpsweep import published

PROFILES = ("b200", "gb200", "b300", "rtx-pro-6000", "gb10", "a100")
HEAD = "| device | quantity | published | predicted |\n|---|---|---|---|\n"


def text(low, high):
    ends = dict.fromkeys(f"{end:.4g}" for end in (low, high))
    return " to ".join(ends)


def rows_of(profile, folder):
    out = f"{folder}/{profile}.h5"
    done = subprocess.run([warpsweep, "predict", f"{root}/jobs/first_day.yaml", "--profile", profile, "-o", out],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "WARPSWEEP_PYTHON": f"{os.path.dirname(warpsweep)}/warm_python"})
    if done.returncode:
        sys.exit(done.stderr)
    found = published.compared(out)
    for _, row in found[(found["where"] != "") & found["here_low"].notna()].iterrows():
        held = row["low"] <= row["here_high"] * 1.05 and row["here_low"] <= row["high"] * 1.05
        if not held:
            problems.append(f"{row['device']}, {row['quantity']}: {row['here']:.4g} is predicted")
        yield (f"| {row['device']} | {row['quantity']} | {text(row['low'], row['high'])} | {row['here']:.4g} ({row['here_low']:.4g} to "
               f"{row['here_high']:.4g}) {row['unit']} |\n")


problems, page = [], pathlib.Path(root, "docs/blackwell.md")
with tempfile.TemporaryDirectory() as folder:
    table = HEAD + "".join(row for profile in PROFILES for row in rows_of(profile, folder))
before = page.read_text(encoding="utf-8")
after = re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table, before)
if HEAD not in before:
    sys.exit(f"{page} has no table with the head {HEAD}")
if os.environ.get("UPDATE"):
    page.write_text(after, encoding="utf-8")
elif after != before:
    problems.append(f"docs/blackwell.md: the table should be\n{table}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
