"""plain_python.py ROOT - what ruff has no rule for, in the Python below ROOT/python/src.

No conditional expression has another one inside, and no text or list is multiplied by a truth value. An `if`, a table
or a function says the same so that it can be read. Prints FILE:LINE of each that does.
"""

import ast
import sys
from pathlib import Path

COUNTS = {"len", "min", "max", "int", "round", "sum"}  # calls whose value is a number


def is_text(node: ast.expr) -> bool:
    """Whether it is a text, or a list with one, as the source shows it."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(is_text(one) for one in node.elts)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def is_number(node: ast.expr) -> bool:
    """Whether it can only be a number of times."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in COUNTS
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not)
    return isinstance(node, (ast.BinOp, ast.Constant))


def is_call_of_truth(node: ast.expr) -> bool:
    """Whether it is one truth value, and no array of them."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in {"bool", "any", "all"}
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def is_truth(node: ast.expr) -> bool:
    """Whether it can only be truth values."""
    return is_call_of_truth(node) or isinstance(node, (ast.Compare, ast.BoolOp))


def is_figure(node: ast.expr) -> bool:
    """Whether it is a number as the source shows it, or is calculated."""
    number = isinstance(node, ast.Constant) and not isinstance(node.value, str)
    return number or isinstance(node, (ast.BinOp, ast.UnaryOp))


def is_sign(node: ast.expr) -> bool:
    """Whether it is one sign, which is repeated to fill a line."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 1


def faults(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and fault of each expression."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            below = [one for part in (node.test, node.body, node.orelse) for one in ast.walk(part)]
            if any(isinstance(one, ast.IfExp) for one in below):
                found.append((node.lineno, "a conditional expression inside another one"))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for text, times in ((node.left, node.right), (node.right, node.left)):
                truth = not is_figure(text) and is_call_of_truth(times)
                if is_text(text):
                    truth |= is_truth(times) or not (is_number(times) or is_sign(text))
                if truth:
                    found.append((node.lineno, "a text multiplied by a truth value"))
    return found


def main() -> int:
    root = Path(sys.argv[1])
    files = sorted((root / "python/src").rglob("*.py"))
    if not files:
        print(f"no Python below {root / 'python/src'}")
        return 1
    count = 0
    for file in files:
        for line, fault in sorted(faults(ast.parse(file.read_text(encoding="utf-8")))):
            print(f"{file.relative_to(root)}:{line}: {fault}")
            count += 1
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
