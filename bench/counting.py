#!/usr/bin/env python3
"""Compare the counters of two results files bit for bit: bench/counting.py WARPSWEEP BEFORE.h5 AFTER.h5"""
import csv
import io
import math
import subprocess
import sys

program, *files = sys.argv[1:]


def rows(file):
    text = subprocess.run([program, "table", file, "--format", "csv", "--columns", "all"], check=True,
                          capture_output=True, text=True).stdout
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}


def counters():
    text = subprocess.run([program, "counters"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.rstrip().endswith(")")]


before, after = map(rows, files)
both = [key for key in before if key in after]
print(f"{files[0]} and {files[1]}: {len(both)} points in both")
for name in counters():
    if not both or name not in before[both[0]] or name not in after[both[0]]:
        continue
    pairs = [(float(before[key][name]), float(after[key][name])) for key in both]
    counted = [(a, b) for a, b in pairs if not math.isnan(a) and not math.isnan(b)]
    differ = [(a, b) for a, b in counted if a != b]
    missing = sum(math.isnan(a) != math.isnan(b) for a, b in pairs)
    far = max((abs(b - a) / max(abs(a), abs(b)) for a, b in differ), default=0)
    if counted or missing:
        print(f"  {name:36s} {len(counted):5d} counted in both, {missing:3d} in one, {len(differ):4d} differ, by at most {far:.2g}")
