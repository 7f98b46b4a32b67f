"""words.py ROOT - README, CHANGELOG and docs stay short: words of the text without comments, as wc counts them."""
import pathlib
import re
import sys

MOST = {"README.md": 1500, "CHANGELOG.md": 2600, "docs/*.md": 20700, "docs/method/*.md": 9100, "docs/findings/*.md": 9760,
        "docs/develop/*.md": 2630}


def words(path):
    return len(re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.S).split())


def main():
    root, faults = pathlib.Path(sys.argv[1]), []
    for pattern, most in MOST.items():
        count = sum(words(path) for path in root.glob(pattern))
        if count > most:
            faults.append(f"{pattern}: {count} words; at most {most}")
        elif count:
            print(f"{pattern}: {count} of {most} words")
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


main()
