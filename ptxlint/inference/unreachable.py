"""Launches in which no thread executes an access: a guard of the access fails in all of them.

A kernel that serves several axes tests each block index against an extent, though its grid has as
many blocks as the extent says: ``if (blockIdx.y >= rows) p[k - columns]``. Such an access has no
bound but in launches that reach it; the contract says that they do not.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import ResolvedAccess
from analyses.polynomials.inequality import Inequality
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, typical_value, weakest
from analyses.typical_launch import is_grid, typical_launch_value
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts

NO_THREAD = "so that no thread executes the access"


def unreached(
    facts: Facts, place: ResolvedAccess, low: tuple[ConditionalBound, ...]
) -> Iterator[ConditionalBound]:
    """Bounds of the negated guards of the access, where its other guards hold: where one is not
    negative, no thread executes it. Only if the lower bounds ``low`` compare products: then the
    access lies before the buffer in some launches. Only that a parameter is not less than an extent
    of the grid or than another parameter: a grid has as many blocks as there are rows, but more
    threads than elements."""
    proofs, here = facts.footprints.proofs, facts.footprints.premises(place)
    for guard in here.known if any(map(product, low)) else ():
        if not guard.polynomial.symbols <= facts.decided.keys():
            others = here.where(lambda polynomial, own=guard.polynomial: polynomial != own)  # type: ignore[misc]
            yield from filter(ordered, proofs.bounds(others, -guard.polynomial - 1, weakest))


def ordered(under: ConditionalBound) -> bool:
    """True if it says that a parameter is not less than an extent of the grid, or than another
    parameter, and a typical launch meets that."""
    terms = sorted(((c, m) for m, c in under.least.terms.items() if m), key=lambda term: term[0])
    if under.preconditions or [(c, len(m)) for c, m in terms] != [(-1, 1), (1, 1)]:
        return False
    (_, (less,)), (_, (more,)) = terms
    grid = is_grid(less) or less.label not in SHAPE
    return grid and more.label not in SHAPE and typical_value(under) >= 0


def product(under: ConditionalBound) -> bool:
    """True if the bound may be negative and compares products of parameters."""
    negative = [m for m, c in under.least.terms.items() if c < 0 and len(m) > 1]
    return bool(negative) and under.enough.range()[0] < 0


def excludes(facts: Facts, place: ResolvedAccess, side: ConditionalBound) -> bool:
    """True if no launch in which a thread executes the access meets it: an image without rows."""
    if typical_launch_value(side.enough) >= 0:
        return False
    here = facts.footprints.premises(place)
    here += PathCondition(tuple(Inequality(need.polynomial) for need in side.preconditions))
    return facts.footprints.proofs.proves(here, -side.enough - 1)
