"""links.py ROOT - every relative link of the documents leads to a file of the tree, and to a heading that is there."""
import pathlib
import re
import sys

from documents import documents


def prose(text):
    """The text without its fenced blocks and code in a line: links in them are none."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M))


def anchors(path):
    """The anchors that readers of Markdown make of its headings."""
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", one).lower()).replace(" ", "-") for one in headings}


def main():
    root, faults, count = pathlib.Path(sys.argv[1]).resolve(), [], 0
    for name in documents(root):
        document = root / name
        for target in re.findall(r"\]\(([^()\s]+)\)", prose(document.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            at = (document.parent / path).resolve() if path else document
            if not at.exists() or root not in (at, *at.parents):
                faults.append(f"{name}: {target}: there is no such file")
            elif anchor and anchor not in anchors(at):
                faults.append(f"{name}: {target}: there is no such heading")
    print("\n".join(faults) or f"{count} links")
    sys.exit(1 if faults or not count else 0)


main()
