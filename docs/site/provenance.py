"""provenance.py ROOT - each measured file of the tree names a commit of its history, from a tree without changes.

Prints the table of the site: device, date, commit and release of each file, and how old the commit is. Exit 1 if a file
names another commit and is not in unlanded.txt beside this, or is there without a reason; 77 without the history.
"""
import pathlib
import re
import subprocess
import sys

import h5py

FOLDERS = ("analysis/data", "tests")
MOST = 18  # files in unlanded.txt: lower it when one is measured anew, and never raise it


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)


def files(root):
    """(path, environment, names of the devices) of each measured file."""
    for path in sorted(path for folder in FOLDERS for path in (pathlib.Path(root) / folder).rglob("*.h5")):
        with h5py.File(path) as file:
            if "environment" in file:
                known = {row["name"].decode(): row["value"].decode() for row in file["environment"][()]}
                yield str(path.relative_to(root)), known, {name.decode() for name in file["devices"]["name"]}


def origin(root, commit):
    """How far the commit is back, in words; what is wrong with it, or ""."""
    base = commit.replace("-dirty", "")
    if git(root, "merge-base", "--is-ancestor", base, "HEAD").returncode:
        return "not in the history", "is not in the history"
    back = f"{git(root, 'rev-list', '--count', f'{base}..HEAD').stdout.strip()} commits"
    return (f"{back}, with changes", "had uncommitted changes") if commit != base else (back, "")


def table(root):
    """The lines of the table, and the commits that are wrong, by file."""
    lines, wrong = ["| file | device | measured | release | commit | age |", "|---|---|---|---|---|---|"], {}
    for path, known, devices in files(root):
        commit = known.get("commit", "")
        age, fault = origin(root, commit)
        lines.append(f"| `{path}` | {', '.join(sorted(devices))} | {known.get('start', '')[:10]} | {known.get('release', '')} | "
                     f"`{commit}` | {age} |")
        if fault:
            wrong[path] = f"{commit or 'no commit'} {fault}"
    return lines, wrong


def main():
    root = sys.argv[1]
    if git(root, "rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        print("skipped: the history is not here")
        sys.exit(77)
    lines, wrong = table(root)
    listed = re.findall(r"^(?!#)(\S+)", (pathlib.Path(root) / "docs/site/unlanded.txt").read_text(encoding="utf-8"), re.M)
    faults = [f"{path}: {fault}" for path, fault in wrong.items() if path not in listed]
    faults += [f"unlanded.txt: {path} is not there, or names a commit of the history" for path in listed if path not in wrong]
    faults += [f"unlanded.txt: {len(listed)} files, and MOST is {MOST}"] if len(listed) != MOST else []
    print("\n".join(faults or lines))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
