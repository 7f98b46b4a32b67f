"""promises.py ROOT TESTS - every test that a document names is one of those listed in the file TESTS, a name a line (`*` stands for
any part of one); and every guarantee of docs/method/reliability.md names a test, or says in brackets how else it was tried."""
import fnmatch
import pathlib
import re
import sys

from documents import documents

HEADS = ("test", "held by")  # of the column that names tests


def named(text):
    """What looks like the name of a test."""
    return re.findall(r"`([a-z_]+\.[a-z0-9_.*]+)`", text)


def promises(text):
    """(promise, what holds it) of each row of the tables of guarantees."""
    holds = False
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("|---"):
            continue
        if not line.startswith("|") or len(cells) != 2:
            holds = False
        elif cells[0] == "guarantee":
            holds = cells[1] in HEADS
        elif holds:
            yield cells


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    tests = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").split()
    labels, faults, count, rows = {test.split(".")[0] for test in tests}, [], 0, 0
    for document in documents(root):
        text = (root / document).read_text(encoding="utf-8")
        for name in named(text):
            if name.split(".")[0] not in labels or any(root.glob(f"*/{name}")):
                continue  # of tests that this build has not, or a file
            count += 1
            if not fnmatch.filter(tests, name):
                faults.append(f"{document}: {name}: there is no such test")
    reliability = root / "docs/method/reliability.md"
    for promise, held in promises(reliability.read_text(encoding="utf-8")):
        rows += 1
        if not named(held) and not held.startswith("("):
            faults.append(f"docs/method/reliability.md: nothing holds '{promise[:60]}'")
    print("\n".join(faults) or f"{count} names of tests, {rows} promises")
    sys.exit(1 if faults or not count or not rows else 0)


main()
