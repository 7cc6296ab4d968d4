"""The figures: ``python -m tests.costs`` prints how many accesses of the corpus are decided."""

from __future__ import annotations

from .decided import share, tally


def main() -> int:
    for space, counts in tally().items():
        decided = share(counts, "exact", "if")
        print(f"{space}: {counts.total()} accesses, {decided:.1%} decided")
        for kind, number in counts.most_common():
            print(f"  {number:5}  {kind}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
