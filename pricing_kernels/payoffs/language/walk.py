"""The nodes of an expression in an order in which they can be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pricing_kernels.payoffs.language.expression import Expression, Folded


def children(node: Expression) -> tuple[Expression, ...]:
    """The nodes that a node is computed from; of a fold's result, those of the fold."""
    if isinstance(node, Folded):
        return (*node.fold.initials, *node.fold.updates)
    return node.operands


def nodes(root: Expression) -> Iterator[Expression]:
    """All nodes of an expression, once each, every node after those that it is computed from."""
    return _walked(root, children)


def outside_of_folds(root: Expression) -> Iterator[Expression]:
    """The nodes of an expression, with the result of a fold as one that nothing is needed for."""
    return _walked(root, lambda node: node.operands)


def _walked(
    root: Expression, children: Callable[[Expression], tuple[Expression, ...]]
) -> Iterator[Expression]:
    done: set[Expression] = set()
    stack = [root]
    while stack:
        node = stack[-1]
        missing = [child for child in children(node) if child not in done]
        if missing and node not in done:
            stack += reversed(missing)
            continue
        stack.pop()
        if node not in done:
            done.add(node)
            yield node
