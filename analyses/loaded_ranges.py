"""The declared ranges of words that are loaded from buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import ResolvedAccess, resolve
from analyses.def_use import User, users_of
from analyses.pointer_choices import pointer_choices
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Choice, type_range
from analyses.program import Assume, Operand, Phi, Region, Terminator, Value
from analyses.proofs.guarded_values import GuardedValues
from analyses.proofs.path_condition import NOTHING


class Content(Struct, frozen=True):
    """The value range of a region's words when the launch begins: integers of ``width`` bits in
    [``low``, ``high``], None if unbounded. If ``assumed``, the caller shows that the loads of the
    region are in bounds. That is no circle: what holds at a load speaks of earlier loads only."""

    width: int
    signed: bool
    low: Polynomial | None
    high: Polynomial | None
    assumed: bool = False


class LoadedRanges(Struct, frozen=True, dict=True):
    """Those of the words of one function. A load ``reads`` what is declared of a region unless it
    may be out of bounds or read what the kernel has written; if its bounds are assumed, its address
    is not looked at, which may be one that it read itself before."""

    guarded: GuardedValues
    contents: Mapping[Region, Content]
    reads: Callable[[Region, Callable[[], ResolvedAccess] | None], bool]

    def of(self, symbol: Symbol) -> Iterator[Inequality]:
        """That of a word that the symbol stands for: of whole words alone."""
        symbolic = self.guarded.symbolic
        instr, value = symbolic.loaded[symbol], symbolic.opaque[symbol]
        access = instr.access
        assert access is not None
        if access.mask is not None and not self._selected(value, access.mask):
            return
        where = partial(resolve, self.guarded, {}, instr, access, self.guarded.values.home[value])
        regions = self._regions(access.base, where)
        each = [self.contents[region] for region in regions if region in self.contents]
        content = self._together(each) if len(each) == len(regions) else None
        if content is None:
            return
        if content.width * len(instr.defs) != 8 * access.bytes:
            return
        place = None if content.assumed else where
        if not all(self.reads(region, place) for region in regions):
            return
        for integer in self._integers(symbol, value.width, content):
            if content.low is not None:
                yield Inequality(integer - content.low, instr)
            if content.high is not None:
                yield Inequality(content.high - integer, instr)

    def _regions(self, base: Operand, where: Callable[[], ResolvedAccess]) -> list[Region]:
        """Those that the address may be in, as far as may be found without what holds there; none
        if they are not known."""
        origin = self.guarded.symbolic.word(base).origin
        if origin is not None:
            return [origin.region]
        pointers = pointer_choices(self.guarded, base, NOTHING)
        found = [word.origin.region for word, _ in pointers if word.origin is not None]
        if not found and (region := where().region) is not None:
            found = [region]
        return list(dict.fromkeys(found))

    def _together(self, contents: list[Content]) -> Content | None:
        """The range of words that come from any of these; None if they are of several types."""
        if len({(one.width, one.signed, one.assumed) for one in contents}) != 1:
            return None
        most, found = self.guarded.symbolic.integers.greatest, contents[0]
        for other in contents[1:]:
            low, high = None, None
            if found.low is not None and other.low is not None:
                low = -most(-found.low, -other.low)
            if found.high is not None and other.high is not None:
                high = most(found.high, other.high)
            found = replace(found, low=low, high=high)
        return found

    def _integers(self, symbol: Symbol, width: int, content: Content) -> Iterator[Polynomial]:
        """The integers of a loaded value that lie in the range of the word: a wider value is the
        extension of the word as the integer, signed or unsigned, whose range it has."""
        word, half = Polynomial.of(symbol), 1 << (content.width - 1)
        below = content.high is not None and content.high.range()[1] < half
        agree = below and content.low is not None and content.low.range()[0] >= 0
        if width == content.width:
            yield self.guarded.symbolic.integers.interpret(width, content.signed, word)
            if below:
                yield word  # signed and unsigned interpretation agree
        elif width > content.width:
            for signed in {content.signed, not content.signed} if agree else {content.signed}:
                least, most = type_range(content.width, signed)
                if least <= symbol.low and symbol.high <= most:
                    yield word

    def _selected(self, value: Value, mask: Operand) -> bool:
        """True if the loaded value is used by selects alone, which take it where the mask holds:
        what it is elsewhere is of no consequence."""
        users = self.users.get(value, ())
        return bool(users) and all(self._selects(user, value, mask) for user in users)

    def _selects(self, user: User, value: Value, mask: Operand) -> bool:
        """True if it is a select that takes the loaded value only where the mask holds."""
        if isinstance(user, (Phi, Assume, Terminator)) or user.effects or len(user.defs) != 1:
            return False
        symbolic = self.guarded.symbolic
        word, loaded = symbolic.words.get(user.defs[0]), symbolic.word(value).offset.polynomial
        choice = word.offset.polynomial.alone if word and word.offset.polynomial else None
        if not isinstance(choice, Choice) or choice.greatest:
            return False
        cases = [case for case in choice.cases if case.polynomial == loaded]
        return bool(cases) and all(c.condition == mask and c.truth for c in cases)

    @cached_property
    def users(self) -> dict[Operand, list[User]]:
        return users_of(self.guarded.values.function)
