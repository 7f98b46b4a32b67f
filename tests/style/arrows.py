"""arrows.py ROOT [BUILD [NM]] - modules use only what cmake/modules.txt allows, and no two files use each other.

Three checks: the #includes of every source; with a build folder, the symbols that each object takes from another's (what
the linker sees, include or not); and circles between files. Objects of sources that are gone are left out."""
import pathlib
import re
import subprocess
import sys

from circles import circles

SUFFIXES = (".c", ".h", ".cpp", ".cu", ".cuh")
# System headers that belong to some files alone.
ONLY = {r"mpi\.h": r"src/mailbox/mailbox_mpi|src/launch/(launch|mpi_start|world)|src/coordinator/state/environment",
        r"hdf5": r"src/store/hdf5/",
        r"yaml\.h": r"src/plan/",
        r"hwloc": r"src/runner/binding",
        r"(cuda|nvrtc|nvml|cupti|cublas|cub/|driver_types|vector_types)": r"src/worker/(cuda|compiler)/|kernels/.*\.cuh?$"}


def read_modules(root):
    """Each module's set of modules that it may use, itself among them."""
    direct = {}
    for line in (root / "cmake/modules.txt").read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0]
        if line.strip():
            name, uses = line.split(":")
            direct[name.strip()] = uses.split()
    allowed = {}
    for name, uses in direct.items():  # a line may name only lines above it, so the table has no circle
        unknown = [use for use in uses if use not in allowed]
        if unknown:
            sys.exit(f"cmake/modules.txt: {name} uses {', '.join(unknown)}, which no line above it has")
        allowed[name] = {name}.union(*(allowed[use] for use in uses))
    return allowed


def module_of(path):
    """The module of a source, by its path from the root."""
    return "kernels" if path.startswith("kernels/") else str(pathlib.PurePosixPath(path).parent)[len("src/"):]


def sources(root):
    return [str(path.relative_to(root)) for folder in ("src", "kernels") for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES]


def check_includes(root, allowed):
    faults, count = [], 0
    for path in sources(root):
        module = module_of(path)
        if module not in allowed:
            faults.append(f"{path}: cmake/modules.txt has no module {module}")
            continue
        for line in (root / path).read_text(encoding="utf-8").splitlines():
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
            if not match:
                continue
            for header, homes in ONLY.items():
                if re.match(header, match[2]) and not re.match(homes, path):
                    faults.append(f"{path}: {match[2]} belongs to {homes}")
            target = match[2] if match[2].startswith("kernels/") else "src/" + match[2]
            if match[1] == '"' and (root / target).exists():
                count += 1
                if module_of(target) not in allowed[module]:
                    faults.append(f"{path}: {module} may not use {module_of(target)} ({match[2]})")
    return faults, count


def symbols(nm, path):
    """The symbols that an object defines, and those that it lacks."""
    lines = subprocess.run([nm, "-g", "-P", path], check=True, capture_output=True, text=True).stdout.splitlines()
    kinds = [line.split()[:2] for line in lines]
    return {name for name, kind in kinds if kind not in "Uvw"}, {name for name, kind in kinds if kind == "U"}


def objects(root, build):
    """Source, by its path from the root, to object."""
    found = {}
    for path in sorted(pathlib.Path(build).glob("CMakeFiles/*.dir/**/*.o")):
        match = re.search(r"\.dir/((?:src|kernels)/.*)\.o$", str(path))
        if match and (root / match[1]).exists():
            found[match[1]] = path
    return found


def uses(nm, files):
    """Each file's set of other files whose symbols it uses."""
    tables = {source: symbols(nm, path) for source, path in files.items()}
    home = {name: source for source, (defined, _) in tables.items() for name in defined - {"_exit"}}  # main.c's is the C library's
    return {source: {home[name] for name in lacking if name in home} - {source}
            for source, (_, lacking) in tables.items()}


def check_symbols(graph, allowed):
    return [f"{source} uses symbols of {other}: {module_of(source)} may not use {module_of(other)}"
            for source, others in graph.items() for other in sorted(others)
            if module_of(other) not in allowed.get(module_of(source), set())]


def check_circles(graph):
    faults = []
    for group in (group for group in circles(graph) if len(group) > 1):
        faults.append("in a circle:")
        faults += [f"    {source} uses {', '.join(sorted(graph[source] & set(group)))}" for source in group]
    return faults


def main():
    root = pathlib.Path(sys.argv[1])
    allowed = read_modules(root)
    faults, count = check_includes(root, allowed)
    if not count:
        sys.exit("no file includes another? the check is blind")
    if len(sys.argv) > 2:
        graph = uses(sys.argv[3] if len(sys.argv) > 3 else "nm", objects(root, sys.argv[2]))
        if not any(graph.values()):
            sys.exit("no file uses another? the check is blind")
        faults += check_symbols(graph, allowed) + check_circles(graph)
    print("\n".join(faults) or f"{count} includes in {len(allowed)} modules")
    sys.exit(1 if faults else 0)


main()
