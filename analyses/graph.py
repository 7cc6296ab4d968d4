"""Control-flow graphs: dominators, dominance frontiers, loops, weak topological order.

Nodes are block indices; a graph is a list of successor lists; node 0 is the entry and reaches every
node. Plain lists: docs/decisions/5 says why not networkx, which the tests compare with
(``tests/laws``).

A weak topological order (Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993)
is a nested sequence in which every edge goes forward or to the head of a component that contains
its source. Flattened, it is also the order of preference of a SIMT scheduler: lanes that left a
loop early wait for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from msgspec import Struct, field

Graph = Sequence[Sequence[int]]


class Dominators(Struct, frozen=True):
    """``parent[v]`` is v's immediate dominator (-1 for the root); ``children`` is the tree.

    ``enter``/``leave`` number the tree so that dominance is a comparison of two intervals.
    """

    parent: list[int]
    children: list[list[int]]
    enter: list[int]
    leave: list[int]

    def dominates(self, a: int, b: int) -> bool:
        return self.enter[a] <= self.enter[b] and self.leave[b] <= self.leave[a]


def dominators(successors: Graph) -> Dominators:
    """Immediate dominators and their tree."""
    parent = _immediate(successors, predecessors(successors), 0)
    children: list[list[int]] = [[] for _ in successors]
    for node in reverse_postorder(successors)[1:]:
        children[parent[node]].append(node)
    enter, leave = [0] * len(successors), [0] * len(successors)
    clock = 0
    stack = [0] if successors else []
    while stack:
        node = stack.pop()
        clock += 1
        if node < 0:
            leave[~node] = clock
            continue
        enter[node] = clock
        stack.append(~node)
        stack.extend(children[node])
    return Dominators(parent, children, enter, leave)


def _immediate(successors: Graph, sources: Graph, root: int) -> list[int]:
    """Immediate dominators (Cooper, Harvey & Kennedy, "A simple, fast dominance algorithm", 2001);
    -1 for the root and for unreachable nodes."""
    order = reverse_postorder(successors, root)
    rank = {node: i for i, node in enumerate(order)}
    before = [[rank[p] for p in sources[n] if p in rank] for n in order]
    above = [0] + [-1] * (len(order) - 1)  # by rank
    changed = True
    while changed:
        changed = False
        for at in range(1, len(order)):
            found = _common_ancestor([p for p in before[at] if above[p] >= 0], above)
            if above[at] != found:
                above[at] = found
                changed = True
    parent = [-1] * len(successors)
    for at in range(1, len(order)):
        parent[order[at]] = order[above[at]]
    return parent


def _common_ancestor(ranks: list[int], above: list[int]) -> int:
    """The nearest common ancestor of nodes in a tree. The greatest rank climbs, so that a node is
    passed once however many of the nodes are below it: an exit may have thousands of
    predecessors."""
    open_ = [-rank for rank in ranks]
    heapify(open_)
    while True:
        last = -heappop(open_)
        while open_ and open_[0] == -last:
            heappop(open_)
        if not open_:
            return last
        heappush(open_, -above[last])


def frontiers(successors: Graph, tree: Dominators) -> list[set[int]]:
    """Dominance frontier of every node (Cytron et al. 1991, computed as in Cooper et al.)."""
    result: list[set[int]] = [set() for _ in successors]
    for node, sources in enumerate(predecessors(successors)):
        if len(sources) < 2:
            continue
        for runner in sources:
            while runner != tree.parent[node] and runner >= 0 and node not in result[runner]:
                result[runner].add(node)
                runner = tree.parent[runner]
    return result


def predecessors(successors: Graph) -> list[list[int]]:
    result: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            if not result[target] or result[target][-1] != node:
                result[target].append(node)
    return result


def postdominators(successors: Graph, leaving: Iterable[int] = ()) -> list[int]:
    """Immediate post-dominator of every node; ``len(successors)`` stands for the common exit.

    A node that cannot reach an exit is in an endless loop. The loop is left at the nodes that are
    ``leaving``, and at every node if there is none.
    """
    size = len(successors)
    forward = [list(targets) if targets else [size] for targets in successors] + [[]]
    for nodes in (leaving, range(size)):
        reached = set(reverse_postorder(predecessors(forward), size))
        for node in nodes:
            if node not in reached:
                forward[node].append(size)
    above = _immediate(predecessors(forward), forward, size)
    return above[:size]


# --- weak topological order


class WeakOrder(Struct, frozen=True):
    """A weak topological order: its nodes from left to right, and by the head of each component
    the position behind its last node. A component begins with its head."""

    nodes: tuple[int, ...]
    ends: Mapping[int, int]

    def elements(self) -> Iterator[range]:
        """The positions of each outermost component, and of each node outside of components."""
        at = 0
        while at < len(self.nodes):
            start, at = at, self.ends.get(self.nodes[at], at + 1)
            yield range(start, at)

    def component(self, head: int, at: int) -> tuple[int, ...]:
        """The nodes of the component with this head, at position ``at``, in order."""
        return self.nodes[at : self.ends[head]]


def weak_topological_order(successors: Graph) -> WeakOrder:
    """Built from right to left: a component is its head, and the order of its other nodes."""
    position = {node: i for i, node in enumerate(reverse_postorder(successors))}
    backward: list[int] = []
    last: dict[int, int] = {}  # by head, the nodes to the right of its component
    open_: list[tuple[int, Iterator[set[int]]]] = [
        (-1, strongly_connected(successors, range(len(successors))))
    ]
    while open_:
        around, parts = open_[-1]
        found = next(parts, None)
        if found is None:
            open_.pop()
            if around >= 0:
                backward.append(around)
            continue
        head = min(found, key=position.__getitem__)
        if len(found) == 1 and head not in successors[head]:
            backward.append(head)
            continue
        last[head] = len(backward)
        open_.append((head, strongly_connected(successors, sorted(found - {head}))))
    ends = {head: len(backward) - right for head, right in last.items()}
    return WeakOrder(tuple(reversed(backward)), ends)


def strongly_connected(successors: Graph, nodes: Iterable[int]) -> Iterator[set[int]]:
    """The strongly connected components of the subgraph, in reverse topological order (Tarjan,
    "Depth-first search and linear graph algorithms", 1972)."""
    low = dict.fromkeys(nodes, -1)  # the first node on the path that is reached; -1: not seen
    count = 0
    found: list[int] = []  # seen, in no component yet
    for start in low:
        path: list[tuple[int, int, Iterator[int]]] = []
        if low[start] < 0:
            low[start] = count
            path.append((start, count, iter(successors[start])))
            found.append(start)
            count += 1
        while path:
            node, number, targets = path[-1]
            for target in targets:
                seen = low.get(target)
                if seen is None:
                    continue
                if seen < 0:
                    low[target] = count
                    path.append((target, count, iter(successors[target])))
                    found.append(target)
                    count += 1
                    break
                low[node] = min(low[node], seen)
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number:
                    component = set()
                    while node not in component:
                        component.add(member := found.pop())
                        low[member] = len(successors)
                    yield component


def reverse_postorder(successors: Graph, root: int = 0) -> list[int]:
    """The nodes reachable from the root; each before its successors, back edges excepted."""
    order: list[int] = []
    seen = {root}
    stack = [(root, iter(successors[root]))] if successors else []
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


class Loop(Struct, frozen=True):
    """A component with its latches. ``natural`` is false for an irreducible loop."""

    head: int
    nodes: frozenset[int]
    latches: tuple[int, ...]
    natural: bool = field(default=True)  # the head dominates every latch and entry


def loops(successors: Graph, tree: Dominators, order: WeakOrder | None = None) -> dict[int, Loop]:
    """All loops by head, outer ones first. ``order`` is the graph's weak topological order, if
    known."""
    order = weak_topological_order(successors) if order is None else order
    sources = predecessors(successors)
    found: dict[int, Loop] = {}
    for at, head in enumerate(order.nodes):
        if head in order.ends:
            nodes = frozenset(order.component(head, at))
            latches = tuple(p for p in sources[head] if p in nodes)
            natural = all(tree.dominates(head, node) for node in nodes)
            found[head] = Loop(head, nodes, latches, natural)
    return found
