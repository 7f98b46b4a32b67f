"""circles.py - who uses each other, by a graph of what each uses."""


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
    """The groups whose members can be got to from each other, sorted; also one that uses itself."""
    reach = {one: reached(graph, one) for one in graph}
    return sorted({tuple(sorted(other for other in reach[one] if one in reach[other])) for one in graph} - {()})
