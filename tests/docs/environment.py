"""environment.py ROOT - the documents name every environment variable that the sources read, and tables of them no other."""
import pathlib
import re
import sys

from documents import documents

NAME = r"[A-Z][A-Z0-9_]+"
# Where a variable's name is not in the call of getenv itself: how it is written there.
INDIRECT = {"src/family/code/plugin.h": rf'PLUGIN_VARIABLE "({NAME})"',
            "src/worker/cuda/compile/disassemble.c": rf'program_find\("\w+", "({NAME})"',
            "src/worker/cuda/compile/point_code.c": rf'program_find\("\w+", "({NAME})"',
            "src/coordinator/state/environment.c": rf'"({NAME})"(?=[,\s}}])',
            "src/family/code/closure.c": rf'"({NAME})"(?=,)',
            "src/family/python/python.h": rf'PYTHON_VARIABLE "({NAME})"',
            "src/launch/world.c": rf'rank_variable\("({NAME})"',
            "src/launch/rank.c": r'(?:variables\[\] = \{|rank_variable\()([^};)]*)'}
INDIRECT_CALLS = {"src/worker/cuda/compile/program.c", "kernels/registry.c", "src/family/python/bridge.c", "src/family/code/plugin.c", "src/coordinator/state/environment.c",
                  "src/coordinator/state/run_plan.c",
                  "src/launch/rank.c"}


def read_by_sources(root):
    script = (root / "cmake/manual.sh").read_text(encoding="utf-8")
    names, faults = {name: "cmake/manual.sh" for name in re.findall(rf"\$\{{({NAME}):-\}}", script)}, []
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("src/**/*.cpp"), *root.glob("kernels/**/*.[ch]"), *root.glob("tests/fake_backend/*.c")]):
        where, text = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        for name in re.findall(rf'getenv\("({NAME})"\)', text):
            names.setdefault(name, where)
        if re.search(r'getenv\((?!")', text) and where not in INDIRECT_CALLS:
            faults.append(f"{where}: getenv of a name that is elsewhere: say in tests/docs/environment.py where")
        if where in INDIRECT:
            found = [name for match in re.finditer(INDIRECT[where], text, re.M)
                     for name in re.findall(NAME, match[1] or "")]
            if not found:
                faults.append(f"{where}: no names found any more: mend tests/docs/environment.py")
            for name in found:
                names.setdefault(name, where)
    return names, faults


def main():
    root = pathlib.Path(sys.argv[1])
    pages = "\n".join((root / name).read_text(encoding="utf-8") for name in documents(root))
    named = set(re.findall(rf"`\$?({NAME})[`/]", pages))
    documented = {name for row in re.findall(r"^\| variable .*\n((?:\|.*\n)*)", pages, re.M)
                  for line in row.splitlines() for name in re.findall(rf"`({NAME})`", line.split(" | ")[0])}
    names, faults = read_by_sources(root)
    scripts = "\n".join((root / name).read_text(encoding="utf-8") for name in ("quickstart",))
    faults += [f"no document tells of {name} ({where})" for name, where in names.items() if name not in named]
    faults += [f"nothing reads {name}" for name in sorted(documented - set(names))
               if not re.search(rf"\${{{name}\b", scripts)]
    print("\n".join(faults) or f"{len(names)} variables")
    sys.exit(1 if faults or len(names) < 10 else 0)


main()
