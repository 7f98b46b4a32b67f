"""floors.py ROOT - modules of the Python package import only what ROOT/python/floors.txt allows.

Each module is on one floor. It imports from its own floor and from those below, in no circle. Functions import only the
packages that the file names, so that no import in a function hides a circle. Prints each fault.
"""

import ast
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from circles import circles

PACKAGE = "warpsweep"


class Floors:
    """What floors.txt says."""

    def __init__(self, text: str) -> None:
        self.of: dict[str, list[str]] = {}  # names of modules by floor, lowest first
        for line in text.splitlines():
            floor, colon, names = line.partition("#")[0].partition(":")
            if colon:
                self.of.setdefault(floor.strip(), []).extend(names.split())
        self.lazily = set(self.of.pop("lazily", ()))
        self.by_name = set(self.of.pop("by name", ()))
        self.order = list(self.of)

    def floor(self, module: str) -> str:
        """The floor of a module: that of the longest name that fits; "" if none does."""
        fitting = [
            (len(name), floor)
            for floor, names in self.of.items()
            for name in names
            if fnmatchcase(module, name)
        ]
        return max(fitting, default=(0, ""))[1]


def name_of(root: Path, file: Path) -> str:
    """The name of a module within the package: `paper.study`, `paper` for its __init__.py."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def targets(node: ast.AST, module: str, is_package: bool, modules: set[str]) -> set[str]:
    """The modules of the package that an import names."""
    if not isinstance(node, ast.ImportFrom) or not node.level:
        return set()
    own = [] if module == "__init__" else module.split(".")
    up = node.level - 1 if is_package else node.level
    base = own[: len(own) - up] if up else own
    base += node.module.split(".") if node.module else []
    below = {".".join([*base, one.name]) for one in node.names} & modules
    rest = len(below) < len(node.names)
    return below | ({".".join(base) or "__init__"} if rest else set())


def packages(node: ast.AST) -> set[str]:
    """Other packages that an import names."""
    if isinstance(node, ast.Import):
        return {one.name.split(".")[0] for one in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").split(".")[0]}
    return set()


def scan(tree: ast.AST) -> list[tuple[ast.AST, bool, bool]]:
    """Each import and call of import_module, whether it is in a function, and whether it is for types alone."""
    found = []

    def walk(node: ast.AST, inside: bool, types: bool) -> None:
        for child in ast.iter_child_nodes(node):
            deeper = inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                found.append((child, inside, types))
            if isinstance(child, ast.Call) and ast.unparse(child.func).split(".")[-1] in (
                "import_module",
                "__import__",
            ):
                found.append((child, inside, types))
            walk(child, deeper, types or checking)

    walk(tree, False, False)
    return found


def check(root: Path, floors: Floors) -> tuple[list[str], int]:
    """The faults, and how many imports there are."""
    files = {name_of(root, file): file for file in sorted(root.rglob("*.py"))}
    graph: dict[str, set[str]] = {module: set() for module in files}
    faults, count = [], 0
    for module, file in files.items():
        own = floors.floor(module)
        if not own:
            faults.append(f"{module}: on no floor")
            continue
        for node, inside, types in scan(ast.parse(file.read_text(encoding="utf-8"))):
            where = f"{module}:{node.lineno}"
            if isinstance(node, ast.Call):
                if module not in floors.by_name:
                    faults.append(f"{where}: imports by name")
                continue
            used = targets(node, module, file.name == "__init__.py", set(files))
            count += len(used)
            for target in sorted(used):
                other = floors.floor(target)
                apart = "apart" in (own, other)
                if other and (apart or floors.order.index(other) > floors.order.index(own)):
                    faults.append(f"{where}: {own} imports {target} of {other}")
            if inside and (used or packages(node) - floors.lazily):
                faults.append(f"{where}: an import in a function")
            if not inside and not types:
                graph[module] |= used - {module}
    known = {name for names in floors.of.values() for name in names}
    gone = [name for name in known if not any(fnmatchcase(module, name) for module in files)]
    faults += [f"floors.txt names {name}, which is no module" for name in sorted(gone)]
    return faults + [f"in a circle: {', '.join(group)}" for group in circles(graph)], count


def main() -> int:
    root = Path(sys.argv[1])
    floors = Floors((root / "python/floors.txt").read_text(encoding="utf-8"))
    faults, count = check(root / "python/src" / PACKAGE, floors)
    if not count:
        faults.append("no module imports another? the check is blind")
    print("\n".join(faults) or f"{count} imports on {len(floors.order)} floors")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
