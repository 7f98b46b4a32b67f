#!/usr/bin/env python3
"""sizes.py WARPSWEEP SOURCE - every shipped job for every shipped profile: at most 5 % of its points are refused for a size.

A size is what another choice would have met: shared memory, L2, device memory, numbers of SMs. Instructions that a device has not are
another matter.
"""
import glob
import os
import re
import subprocess
import sys

SHARE_MAX = 0.05
SIZE = re.compile(r"shared memory|there is no multiprocessor|stay in L|not far larger than L2|does not stay in|do not fit on a multiprocessor|"
                  r"buffers need|set aside|constant memory")


def refused(warpsweep, job, profile):
    """Points, and those refused for sizes with the reasons."""
    done = subprocess.run([warpsweep, "check", job, "--profile", profile], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    points = sum(int(n) for n in re.findall(r"^\w+: (\d+) points?\b", done.stdout, flags=re.M))
    reasons = [(int(n), why) for n, why in re.findall(r"^  unsupported +(\d+)  (.*)", done.stdout, flags=re.M) if SIZE.search(why)]
    if not points:
        sys.exit(f"{job} for {profile}: {done.stdout}")
    return points, reasons


def main():
    warpsweep, source = sys.argv[1:3]
    profiles = sorted(glob.glob(os.path.join(source, "profiles/*.yaml")))
    jobs = sorted(glob.glob(os.path.join(source, "jobs/*.yaml")))
    worst, wrong = 0.0, 0
    if len(profiles) < 6 or len(jobs) < 40:
        sys.exit(f"only {len(jobs)} jobs and {len(profiles)} profiles in {source}")
    for profile in profiles:
        for job in jobs:
            points, reasons = refused(warpsweep, job, profile)
            share = sum(n for n, _ in reasons) / points
            worst = max(worst, share)
            if share > SHARE_MAX:
                wrong += 1
                print(f"{os.path.basename(job)} for {os.path.basename(profile)}: {share:.0%} of {points} points: {reasons}")
    print(f"{len(jobs)} jobs, {len(profiles)} profiles: at most {worst:.1%} of a job's points are refused for sizes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
