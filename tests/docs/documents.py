"""The documents of the tree, and the code blocks in them."""
import pathlib
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    document: str  # path from the root
    line: int  # of its first line of text, counted from 1
    language: str  # the fence's info string; "indented" without a fence
    text: str


def documents(root):
    """README and what it points to, by path from the root."""
    root = pathlib.Path(root)
    found = [root / "README.md", root / "CONTRIBUTING.md", root / "python/README.md", *sorted(root.glob("docs/**/*.md"))]
    return [str(path.relative_to(root)) for path in found if path.exists() and path.parent.name != "site"]


def blocks(root, document):
    """Its fenced and indented blocks, from top to bottom."""
    lines = (pathlib.Path(root) / document).read_text(encoding="utf-8").split("\n")
    found, at, after_blank = [], 0, True
    while at < len(lines):
        fence = re.match(r"( *)(```+)(\S*)", lines[at])
        end = at + 1
        if fence:
            while end < len(lines) and not lines[end].startswith(fence[1] + fence[2]):
                end += 1
            text = [line.removeprefix(fence[1]) for line in lines[at + 1:end]]
            found.append(Block(document, at + 2, fence[3], "\n".join(text)))
            end += 1
        elif after_blank and lines[at].startswith("    "):
            while end < len(lines) and (lines[end].startswith("    ") or
                                        (not lines[end] and lines[end + 1:end + 2] and lines[end + 1].startswith("    "))):
                end += 1
            found.append(Block(document, at + 1, "indented", "\n".join(line[4:] for line in lines[at:end])))
        after_blank = not lines[end - 1].strip() or bool(fence)
        at = end
    return found


def command_lines(block):
    """(line, command) of a block of commands; a backslash joins lines, and `$ ` before a command is taken off."""
    found, joined, first = [], "", 0
    for number, line in enumerate(block.text.split("\n"), block.line):
        first = first if joined else number
        joined += line.strip() if not joined else " " + line.strip()
        if joined.endswith("\\"):
            joined = joined[:-1].rstrip()
            continue
        if joined and not joined.startswith("#"):
            found.append((first, joined))
        joined = ""
    return found
