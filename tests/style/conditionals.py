"""conditionals.py ROOT - no conditional expression has another one inside: not in C, C++ or CUDA below ROOT.

Prints FILE:LINE of each that does. An `if`, a table or a function says the same so that it can be read.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("src", "kernels", "tests", "bench", "examples")
ENDINGS = {".c", ".h", ".cpp", ".cu", ".cuh"}
CLOSING = {"(": ")", "[": "]", "{": "}"}
TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"|(?P<mark>[?;,(){}\[\]]|\n(?=[ \t]*\#)|(?<!\\)\n)|(?P<other>\\\n|[^\n])",
    re.DOTALL | re.VERBOSE,
)


def marks(text: str) -> list[tuple[str, int, bool]]:
    """The marks that an expression is divided by; a directive ends with its line.

    Each with its line, and whether it opens arguments, an index or values, which are expressions of their own.
    """
    found, line, directive = [], 1, False
    for token in TOKEN.finditer(text):
        mark = token["mark"]
        if mark == "\n":
            if directive:
                found.append((";", line, False))
            directive = bool(re.match(r"[ \t]*#", text[token.end() :]))
            if directive:
                found.append((";", line, False))
        elif mark:
            before = re.search(r"(\w*)\s*$", text[max(0, token.start() - 40) : token.start()])
            word = before[1] if before else ""
            own = mark in "[{" or (mark == "(" and word and word != "return")
            found.append((mark, line, bool(own)))
        line += token[0].count("\n")
    return found


def nested(tokens: list[tuple[str, int, bool]]) -> set[int]:
    """Lines of the conditional expressions that are inside another one."""
    found: set[int] = set()
    position = 0

    def group(closing: str) -> tuple[list[int], bool]:
        """Lines of all `?` up to the bracket that closes; whether it is a block of statements."""
        nonlocal position
        inside: list[int] = []  # of the group
        own: list[int] = []  # of the expression, outside its brackets
        deeper: list[int] = []  # of the expression, in brackets
        block = False

        def end() -> None:
            nonlocal own, deeper, inside
            if len(own) > 1 or (own and deeper):
                found.add(min(own + deeper))
            inside += own + deeper
            own, deeper = [], []

        while position < len(tokens):
            mark, line, own_expression = tokens[position]
            position += 1
            if mark == closing:
                break
            if mark in CLOSING:
                lines, statements = group(CLOSING[mark])
                block |= statements
                if statements:
                    end()
                elif not own_expression:
                    deeper += lines
            elif mark == "?":
                own.append(line)
            elif mark in ",;":
                block |= mark == ";"
                end()
        end()
        return inside, block

    while position < len(tokens):
        group("")
    return found


def main() -> int:
    root = Path(sys.argv[1])
    count = 0
    for file in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        if file.suffix in ENDINGS and file.is_file():
            for line in sorted(nested(marks(file.read_text()))):
                print(f"{file.relative_to(root)}:{line}: a conditional expression inside another one")
                count += 1
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
