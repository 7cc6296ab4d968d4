"""The algorithms on control-flow graphs give what networkx gives, on random graphs of any shape."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from analyses.graph import (
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


def test_an_endless_loop_is_left_where_its_exits_were() -> None:
    loop: Graph = [[1], [2, 3], [4], [4], [1]]
    assert postdominators(loop) == [5, 5, 5, 5, 5]
    assert postdominators(loop, [4]) == [1, 4, 4, 4, 5]


@given(graphs())
def test_weak_topological_order(graph: Graph) -> None:
    """Every edge goes forward, or to the head of a component around its source; what is inside a
    component is strongly connected."""
    order = weak_topological_order(graph)
    place = {node: at for at, node in enumerate(order.nodes)}
    assert sorted(place) == list(range(len(graph)))
    inside = {head: order.component(head, place[head]) for head in order.ends}
    for head, nodes in inside.items():
        assert nx.is_strongly_connected(directed(graph).subgraph(nodes))
        assert all(set(nodes) >= set(other) for at, other in inside.items() if at in nodes), head
    for node, targets in enumerate(graph):
        for target in targets:
            assert place[node] < place[target] or node in inside[target]


def test_elements_of_a_weak_topological_order() -> None:
    order = weak_topological_order([[1], [2, 4], [3], [3, 1], [5], []])
    assert [[order.nodes[at] for at in element] for element in order.elements()] == [
        [0],
        [1, 2, 3],
        [4],
        [5],
    ]
    assert order.ends == {1: 4, 3: 4}


def test_a_deep_nest_of_loops() -> None:
    depth = 500
    graph = [[node + 1] for node in range(depth)]
    graph += [[depth - at - 1, depth + at + 1] for at in range(depth)] + [[]]
    order = weak_topological_order(graph)
    assert list(order.nodes) == list(range(2 * depth + 1))
    assert order.ends == {head: 2 * depth - head for head in range(depth)}
