"""circles.py ROOT BUILD [NM] - no files use each other in a circle, neither of one folder nor of several.

What a file uses is what the linker sees: the symbols that its object lacks and another's defines. Objects of sources
that are gone are left out."""
import pathlib
import re
import subprocess
import sys


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
        if match and (pathlib.Path(root) / match[1]).exists():
            found[match[1]] = path
    return found


def uses(nm, files):
    """Each file's set of other files whose symbols it uses."""
    tables = {source: symbols(nm, path) for source, path in files.items()}
    home = {name: source for source, (defined, _) in tables.items() for name in defined}
    return {source: {home[name] for name in lacking if name in home} - {source}
            for source, (_, lacking) in tables.items()}


def reached(graph, start):
    """Everything that can be got to from `start`, without `start` itself unless a way leads back."""
    seen, left = set(), list(graph[start])
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left.extend(graph[one])
    return seen


def circles(graph):
    """Groups of files that all reach each other."""
    reach = {source: reached(graph, source) for source in graph}
    groups = {frozenset(other for other in reach[source] if source in reach[other]) for source in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def main():
    root, build = sys.argv[1:3]
    graph = uses(sys.argv[3] if len(sys.argv) > 3 else "nm", objects(root, build))
    if not any(graph.values()):
        sys.exit("no file uses another? the check is blind")
    found = circles(graph)
    for group in found:
        print("in a circle:")
        for source in group:
            print(f"    {source} uses {', '.join(sorted(graph[source] & set(group)))}")
    sys.exit(1 if found else 0)


main()
