"""provenance.py ROOT - each measured file of the tree names a commit of its history, from a tree without changes, and its code.

Prints the table of the site: device, date, commit and release of each file, how old the commit is, whether the code of each
family is that of the commit, and which files other GPUs measured meanwhile, maybe of one host. Exit 1 if a file names another
commit or other code; 77 without the history.
"""
import functools
import pathlib
import re
import subprocess
import sys

import h5py

FOLDERS = ("analysis/data", "tests")


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)


def files(root):
    """(path, environment, devices) of each measured file."""
    for path in sorted(path for folder in FOLDERS for path in (pathlib.Path(root) / folder).rglob("*.h5")):
        with h5py.File(path) as file:
            if "environment" in file:
                known = {row["name"].decode(): row["value"].decode() for row in file["environment"][()]}
                yield str(path.relative_to(root)), known, file["devices"][()]


@functools.lru_cache(maxsize=None)
def text_of(root, commit, path):
    """A file as it was at a commit; None: there was none."""
    done = subprocess.run(["git", "-C", root, "show", f"{commit}:{path}"], capture_output=True, check=False)
    return None if done.returncode else done.stdout


@functools.lru_cache(maxsize=None)
def code_of(root, commit, family):
    """What registry_code (kernels/registry.c) made at a commit of a built-in family: FNV-1a of the device code and of all headers
    with their names, each with its NUL; None: the commit has no such family."""
    descriptor = text_of(root, commit, f"kernels/{family}/{family}.c")
    if descriptor is None:
        return None
    table = text_of(root, commit, "kernels/device_headers.c").decode()
    device = text_of(root, commit, f"kernels/{family}/{family}.cu")
    if device is None:  # in the descriptor, as literals
        literals = re.search(rb'char source\[\] =((?:\s*"(?:[^"\\]|\\.)*")+);', descriptor)[1]
        device = b"".join(re.findall(rb'"((?:[^"\\]|\\.)*)"', literals)).decode("unicode_escape").encode()
    texts = [device]
    for name in re.findall(r'\{"([^"]+)", \w+\}', table):
        texts += [name.encode(), text_of(root, commit, f"src/{name}" if "/" in name else f"kernels/{name}")]
    code = 0xcbf29ce484222325
    for byte in b"".join(text + b"\0" for text in texts):
        code = (code ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f"{code:016x}"


def code(root, known, commit):
    """Whether the families' code is that of the commit, in words, and the families of which it is other."""
    told = {name[len("code."):]: value for name, value in known.items() if name.startswith("code.")}
    made = {family: code_of(root, commit, family) for family in told}
    other = [family for family, value in told.items() if made[family] not in (None, value)]
    users = [family for family in told if made[family] is None]
    words = [f"other: {', '.join(other)}"] * bool(other) + [f"not built in: {', '.join(users)}"] * bool(users)
    return "; ".join(words) or ("as in the commit" if told else "not noted"), other


def origin(root, commit):
    """How far the commit is back, in words; what is wrong with it, or ""."""
    base = commit.replace("-dirty", "")
    if git(root, "merge-base", "--is-ancestor", base, "HEAD").returncode:
        return "not in the history", "is not in the history"
    back = f"{git(root, 'rev-list', '--count', f'{base}..HEAD').stdout.strip()} commits"
    return (f"{back}, with changes", "had uncommitted changes") if commit != base else (back, "")


def meanwhile(measured):
    """The names of the files that other devices measured at the same time, by file, of those that say when they ended."""
    runs = {path: (known["start"], known["end"], {*devices["uuid"]}) for path, known, devices in measured if "end" in known}
    return {path: [pathlib.Path(other).stem for other, (begun, ended, beside) in runs.items()
                   if begun < end and start < ended and not uuids & beside] for path, (start, end, uuids) in runs.items()}


def table(root):
    """The lines of the table, and the commits that are wrong, by file."""
    lines, wrong = ["| file | device | measured | release | commit | age | code | meanwhile |", "|---|---|---|---|---|---|---|---|"], {}
    measured = [*files(root)]
    beside = meanwhile(measured)
    for path, known, devices in measured:
        commit = known.get("commit", "")
        age, fault = origin(root, commit)
        words, other = ("unknown", []) if age == "not in the history" else code(root, known, commit.replace("-dirty", ""))
        names = sorted({name.decode() for name in devices["name"]})
        lines.append(f"| `{path}` | {', '.join(names)} | {known.get('start', '')[:10]} | {known.get('release', '')} | "
                     f"`{commit}` | {age} | {words} | {', '.join(beside.get(path, []))} |")
        if fault or other:
            wrong[path] = f"{commit or 'no commit'} {fault or 'has other code of ' + ', '.join(other)}"
    return lines, wrong


def main():
    root = sys.argv[1]
    if git(root, "rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        print("skipped: the history is not here")
        sys.exit(77)
    lines, wrong = table(root)
    faults = [f"{path}: {fault}" for path, fault in wrong.items()]
    print("\n".join(faults or lines))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
