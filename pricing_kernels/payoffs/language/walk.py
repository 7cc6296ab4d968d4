"""The nodes of an expression in an order in which they can be computed."""

from __future__ import annotations

from collections.abc import Iterator

from pricing_kernels.payoffs.language.expression import Expression, Folded


def children(node: Expression) -> tuple[Expression, ...]:
    """The nodes that a node is computed from; of a fold's result, those of the fold."""
    if isinstance(node, Folded):
        return (*node.fold.initials, *node.fold.updates)
    return node.operands


def nodes(root: Expression) -> Iterator[Expression]:
    """All nodes of an expression, once each, every node after those that it is computed from."""
    done: set[Expression] = set()
    stack = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready:
            done.add(node)
            yield node
        else:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(children(node)) if child not in done]
