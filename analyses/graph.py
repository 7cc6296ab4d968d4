"""Control-flow graphs: dominators, frontiers, loops, and Bourdoncle's weak topological order.

Nodes are block indices; a graph is a list of successor lists with node 0 as the entry, from which
every node is reachable. networkx does the textbook part.

A weak topological order (Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993)
is a nested sequence in which every edge goes forward or to the head of a component that contains
its source. Read flat, it is also the order in which a SIMT machine must prefer its blocks so that
lanes that left a loop early wait for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import networkx as nx

Graph = Sequence[Sequence[int]]


def directed(successors: Graph) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(successors)))
    graph.add_edges_from((u, v) for u, targets in enumerate(successors) for v in targets)
    return graph


@dataclass(frozen=True)
class Dominators:
    """``parent[v]`` is v's immediate dominator (-1 for the root); ``children`` is the tree.

    ``enter``/``leave`` number the tree so that dominance is a comparison of two intervals.
    """

    parent: list[int]
    children: list[list[int]]
    enter: list[int]
    leave: list[int]

    def dominates(self, a: int, b: int) -> bool:
        return self.enter[a] <= self.enter[b] and self.leave[b] <= self.leave[a]


def dominators(successors: Graph, root: int = 0) -> Dominators:
    """Immediate dominators (Cooper, Harvey & Kennedy 2001, in networkx) and their tree."""
    size = len(successors)
    parent = [-1] * size
    children: list[list[int]] = [[] for _ in range(size)]
    for node, above in nx.immediate_dominators(directed(successors), root).items():
        if node != root and above is not None:
            parent[node] = above
            children[above].append(node)
    enter, leave = [0] * size, [0] * size
    clock = 0
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        clock += 1
        if done:
            leave[node] = clock
            continue
        enter[node] = clock
        stack.append((node, True))
        stack.extend((child, False) for child in children[node])
    return Dominators(parent, children, enter, leave)


def frontiers(successors: Graph, tree: Dominators) -> list[set[int]]:
    """Dominance frontier of every node (Cytron et al. 1991, computed as in Cooper et al.)."""
    result: list[set[int]] = [set() for _ in successors]
    for node, sources in enumerate(predecessors(successors)):
        if len(sources) < 2:
            continue
        for runner in sources:
            while runner != tree.parent[node] and runner >= 0:
                result[runner].add(node)
                runner = tree.parent[runner]
    return result


def predecessors(successors: Graph) -> list[list[int]]:
    result: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            if node not in result[target]:
                result[target].append(node)
    return result


def postdominators(successors: Graph) -> list[int]:
    """Immediate post-dominator of every node; ``len(successors)`` stands for the common exit.

    Nodes from which no exit can be reached post-dominate nothing and get the common exit too.
    """
    size = len(successors)
    backward: list[list[int]] = [[] for _ in range(size + 1)]
    for node, targets in enumerate(successors):
        for target in targets:
            backward[target].append(node)
        if not targets:
            backward[size].append(node)
    reached = set(nx.descendants(directed(backward), size)) | {size}
    for node in range(size):  # an endless loop: give it an edge to the exit
        if node not in reached:
            backward[size].append(node)
    above = nx.immediate_dominators(directed(backward), size)
    return [size if (found := above[node]) is None else found for node in range(size)]


# --- weak topological order


@dataclass(frozen=True)
class Component:
    """A loop: its head and what is inside, in order."""

    head: int
    body: tuple[Element, ...]

    def nodes(self) -> Iterator[int]:
        yield self.head
        yield from flatten(self.body)


Element = int | Component


def flatten(order: Sequence[Element]) -> Iterator[int]:
    """The nodes of a weak topological order from left to right."""
    for element in order:
        if isinstance(element, Component):
            yield from element.nodes()
        else:
            yield element


def weak_topological_order(successors: Graph) -> tuple[Element, ...]:
    graph = directed(successors)
    position = {node: i for i, node in enumerate(reverse_postorder(successors))}
    return _ordered(graph, position)


def _ordered(graph: nx.DiGraph[int], position: dict[int, int]) -> tuple[Element, ...]:
    order: list[Element] = []
    for found in nx.strongly_connected_components(graph):  # in reverse topological order
        if len(found) == 1:
            (node,) = found
            order.append(Component(node, ()) if graph.has_edge(node, node) else node)
            continue
        head = min(found, key=position.__getitem__)
        inside = graph.subgraph(found - {head}).copy()
        order.append(Component(head, _ordered(inside, position)))
    return tuple(reversed(order))


def reverse_postorder(successors: Graph) -> list[int]:
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(successors[0]))] if successors else []
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors[target])))
                break
        else:
            order.append(node)
            stack.pop()
    return order[::-1]


# --- loops


@dataclass(frozen=True)
class Loop:
    """A component with more than its order: who jumps back, and the loop around it."""

    head: int
    nodes: frozenset[int]
    latches: tuple[int, ...]
    natural: bool = field(default=True)  # the head dominates every latch and entry


def loops(successors: Graph, tree: Dominators) -> dict[int, Loop]:
    """All loops by head, outer ones first."""
    sources = predecessors(successors)
    found: dict[int, Loop] = {}

    def visit(order: Sequence[Element]) -> None:
        for element in order:
            if isinstance(element, Component):
                nodes = frozenset(element.nodes())
                latches = tuple(p for p in sources[element.head] if p in nodes)
                natural = all(tree.dominates(element.head, node) for node in nodes)
                found[element.head] = Loop(element.head, nodes, latches, natural)
                visit(element.body)

    visit(weak_topological_order(successors))
    return found
