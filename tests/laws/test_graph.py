"""The algorithms on control-flow graphs give what networkx gives, on random graphs of any shape."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from analyses.graph import (
    Component,
    Element,
    dominators,
    frontiers,
    postdominators,
    predecessors,
    reverse_postorder,
    weak_topological_order,
)

Graph = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Successor lists of up to 12 nodes, all reached from node 0."""
    size = draw(st.integers(1, 12))
    node = st.integers(0, size - 1)
    drawn = draw(st.lists(st.lists(node, max_size=3), min_size=size, max_size=size))
    kept = {old: new for new, old in enumerate(reverse_postorder(drawn))}
    return [[kept[target] for target in drawn[old]] for old in kept]


def directed(graph: Graph) -> nx.DiGraph[int]:
    found: nx.DiGraph[int] = nx.DiGraph()
    found.add_nodes_from(range(len(graph)))
    found.add_edges_from((u, v) for u, targets in enumerate(graph) for v in targets)
    return found


@given(graphs())
def test_dominators(graph: Graph) -> None:
    expected = nx.immediate_dominators(directed(graph), 0)
    tree = dominators(graph)
    for node in range(1, len(graph)):
        assert tree.parent[node] == expected[node]
    for a in range(len(graph)):
        below = nx.descendants(directed(tree.children), a) | {a}
        assert below == {b for b in range(len(graph)) if tree.dominates(a, b)}


@given(graphs())
def test_frontiers(graph: Graph) -> None:
    expected = nx.dominance_frontiers(directed(graph), 0)
    joins = {node for node, sources in enumerate(predecessors(graph)) if len(sources) > 1}
    for node, found in enumerate(frontiers(graph, dominators(graph))):
        assert found == expected[node] & joins  # the entry is no join


@given(graphs())
def test_postdominators(graph: Graph) -> None:
    backward = directed(graph).reverse()
    exit = len(graph)
    backward.add_edges_from((exit, node) for node, targets in enumerate(graph) if not targets)
    endless = (
        set(range(exit)) - nx.descendants(backward, exit) if exit in backward else set(range(exit))
    )
    backward.add_edges_from((exit, node) for node in endless)
    expected = nx.immediate_dominators(backward, exit)
    assert postdominators(graph) == [expected[node] for node in range(exit)]


@given(graphs())
def test_weak_topological_order(graph: Graph) -> None:
    """Every edge goes forward, or to the head of a component around its source; what is inside a
    component is strongly connected."""
    place: dict[int, int] = {}
    around: dict[int, tuple[int, ...]] = {}

    def visit(order: tuple[Element, ...], heads: tuple[int, ...]) -> None:
        for element in order:
            if isinstance(element, Component):
                inside = set(element.nodes())
                assert nx.is_strongly_connected(directed(graph).subgraph(inside))
                node, inner = element.head, (*heads, element.head)
            else:
                node, inner = element, heads
            assert node not in place
            place[node], around[node] = len(place), inner
            if isinstance(element, Component):
                visit(element.body, inner)

    visit(weak_topological_order(graph), ())
    assert len(place) == len(graph)
    for node, targets in enumerate(graph):
        for target in targets:
            assert place[node] < place[target] or target in around[node]
