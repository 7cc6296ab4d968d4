"""Lowering a module: from the syntax tree to kernels in SSA form.

A kernel that cannot be lowered is left out, with a diagnostic. Device functions are analysed where
kernels call them, not by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from analyses.hardware import DECLARED_SHARED, LARGE_PARAMETERS, MAX_THREADS, PARAMETERS
from analyses.program import Region
from ptxlint.contracts.launch import MAX_BLOCK
from ptxlint.ir import Kernel, KernelParameter
from ptxlint.lowering.assertions import follow_assertions
from ptxlint.lowering.division import fast_divisions
from ptxlint.lowering.inline import Inlining
from ptxlint.lowering.mem2reg import mem2reg
from ptxlint.lowering.members import members, numbers
from ptxlint.lowering.names import Names, mistake, mistake_of, region_of, size_in_bytes
from ptxlint.lowering.operands import LoweringError
from ptxlint.lowering.shared_arrays import BEGINNING, alone
from ptxlint.lowering.ssa import to_ssa
from ptxlint.mangling import signature
from ptxlint.source import SHOWN, Diagnostic, Source
from ptxlint.syntax import ast
from ptxlint.syntax.heads import SM


class LoweredModule(Struct, frozen=True):
    """The kernels of a module. ``present`` counts the entries in the text, including those left
    out."""

    source: Source
    module: ast.Module
    kernels: tuple[Kernel, ...]
    files: dict[int, str]
    present: int
    diagnostics: tuple[Diagnostic, ...]


def lower_module(module: ast.Module, source: Source, recursion: int = 0) -> LoweredModule:
    """Lowers all kernels. ``recursion`` is that of ``inline``."""
    names = Names()
    variables: dict[Region, tuple[ast.Variable, ast.Declarator]] = {}
    problems = list(wrong_variables(module, source))
    for item in module.items:
        if isinstance(item, ast.Variable):
            if mistake_in(item):
                continue
            if item.space in ("reg", "sreg"):
                names.declare_registers(item)
                continue
            for declarator in item.declarators:
                region = region_of(item, declarator)
                names.declare_variable(item, declarator.name, region)
                variables[region] = (item, declarator)
    functions = functions_of(module)
    names.functions = frozenset(functions)
    kernels: list[Kernel] = []
    entries = [
        item for item in module.items if isinstance(item, ast.Function) and item.entry and item.body
    ]
    address_size = (module.address_size or 64) // 8
    target = next((each for each in module.targets if each.startswith("sm_")), "")
    for entry in entries:
        try:
            lowered = kernel(entry, names, variables, functions, recursion, room_of(module))
            kernels.append(
                replace(lowered, source=source, address_size=address_size, target=target)
            )
        except* LoweringError as wrong:
            problems += refused(entry, wrong.exceptions, source)
    files = {item.index: item.names[-1] for item in module.items if isinstance(item, ast.File)}
    return LoweredModule(source, module, tuple(kernels), files, len(entries), tuple(problems))


def mistake_in(variable: ast.Variable) -> str | None:
    """The error in a declaration of the module, if there is one."""
    found = (mistake_of(variable, declarator) for declarator in variable.declarators)
    return next(filter(None, found), None)


def wrong_variables(module: ast.Module, source: Source) -> Iterator[Diagnostic]:
    for item in module.items:
        if isinstance(item, ast.Variable) and (message := mistake_in(item)):
            yield Diagnostic(source.path, *source.line_column(item.offset), message)


def refused(
    entry: ast.Function, wrong: Sequence[Exception], source: Source
) -> Iterator[Diagnostic]:
    """The diagnostic of a kernel that is left out: the first errors in the order of the text, and
    the number of others. An error in a function inlined twice counts once."""
    found = {(e.offset, str(e)) for e in wrong if isinstance(e, LoweringError)}
    name = signature(entry.name)
    prefix = f"kernel {name} is not analysed: "
    for count, (offset, message) in enumerate(sorted(found)):
        if count == SHOWN:
            message = f"and {len(found) - SHOWN} more in kernel {name}"
        yield Diagnostic(source.path, *source.line_column(offset), prefix + message)
        if count == SHOWN:
            return
        prefix = ""


def functions_of(module: ast.Module) -> dict[str, ast.Function]:
    """All functions by name; the definition, if there is one."""
    found: dict[str, ast.Function] = {}
    for item in module.items:
        if isinstance(item, ast.Function) and (item.body is not None or item.name not in found):
            found[item.name] = item
    for item in module.items:
        if isinstance(item, ast.Alias) and item.target in found:
            found[item.name] = found[item.target]
    return found


def impossible(entry: ast.Function, regions: Iterable[Region]) -> Iterator[LoweringError]:
    """Parameters of no type or size, or of the name of another one; directives that no block
    satisfies: of no threads, or required to be larger than any; and arrays in shared memory that
    are too large together for every target, as ptxas has it."""
    declared = sum(region.size or 0 for region in regions if region.space == "shared")
    if declared > DECLARED_SHARED:
        message = f"its arrays in shared memory have {declared} bytes, at most {DECLARED_SHARED}"
        yield LoweringError(entry.offset, f"{message} may be declared")
    for index, p in enumerate(entry.parameters):
        twice = any(p.name == other.name for other in entry.parameters[:index])
        wrong = mistake(p.type, p.shape, None, p.align)
        if wrong := wrong or ("declared twice" if twice else None):
            yield LoweringError(p.offset, f"{p.name}: {wrong}")
    for d in entry.directives:
        extents = tuple(v for v in d.values if isinstance(v, int))
        if d.name in ("reqntid", "maxntid") and 0 in extents:
            message = "expected at least one thread along each axis"
            yield LoweringError(d.offset, f".{d.name}: {message}")
        elif d.name == "reqntid":
            along = zip(extents, MAX_BLOCK, strict=False)
            if prod(extents) > MAX_THREADS or any(extent > most for extent, most in along):
                message = f"a block has at most {MAX_THREADS} threads, {MAX_BLOCK[2]} along z"
                yield LoweringError(d.offset, f".reqntid: {message}")


def room_of(module: ast.Module) -> int:
    """The bytes that the parameters of a kernel may have (PTX ISA 9.4, "Parameter State Space":
    more since PTX ISA 8.1, on sm_70 and above)."""
    numbers = [int(found[1]) for target in module.targets if (found := SM.fullmatch(target))]
    large = module.version >= (8, 1) and min(numbers, default=0) >= 70
    return LARGE_PARAMETERS if large else PARAMETERS


def too_many(
    entry: ast.Function, parameters: Iterable[KernelParameter], room: int
) -> Iterator[LoweringError]:
    """Parameters that have too many bytes, with those between them."""
    end = 0
    for one in parameters:
        align = max(one.region.align, 1)
        end = -(-end // align) * align + one.size
    if end > room:
        message = f"its parameters have {end} bytes, at most {room} are possible"
        yield LoweringError(entry.offset, f"{message} in this version and target")


def kernel(
    entry: ast.Function,
    names: Names,
    variables: dict[Region, tuple[ast.Variable, ast.Declarator]],
    functions: dict[str, ast.Function],
    recursion: int = 0,
    room: int = LARGE_PARAMETERS,
) -> Kernel:
    """Lowers one kernel, whose parameters may have as many bytes as there is ``room``. Raises a
    group of LoweringErrors, one for each wrong statement, such as one with an undeclared name."""
    assert entry.body is not None
    scope = Names(names)
    parameters = tuple(parameter(p, i) for i, p in enumerate(entry.parameters))
    for formal in parameters:
        scope.declare(formal.name, formal.region)
    lowering = Inlining(scope, names, functions, recursion)
    if alone(entry.body, sum(region.space == "shared" for region in variables), functions):
        lowering.least_align = BEGINNING
    lowering.scope_of(entry.body)
    lowering.errors += [*impossible(entry, lowering.regions), *too_many(entry, parameters, room)]
    if lowering.errors:
        raise ExceptionGroup(f"kernel {entry.name}", lowering.errors)
    blocks = lowering.blocks()
    regions = mem2reg(blocks, lowering.regions)
    initials = {region: variables[region] for region in regions if region in variables}
    sizes = {d.name: tuple(v for v in d.values if isinstance(v, int)) for d in entry.directives}
    ssa = to_ssa(blocks)
    fast = fast_divisions(ssa)
    follow_assertions(ssa, initials)
    words = members(parameters, ssa)
    split = {word.region for word in words} | numbers(parameters, ssa)
    parameters = tuple(replace(p, number=True) if p.region in split else p for p in parameters)
    return Kernel(
        entry.name,
        parameters,
        ssa,
        regions,
        entry.offset,
        max_threads=sizes.get("maxntid"),
        required_threads=sizes.get("reqntid"),
        initials=initials,
        members=words,
        calls=tuple((caller or entry.name, callee) for caller, callee in lowering.calls),
        fast_divisions=fast,
    )


def parameter(formal: ast.Parameter, index: int) -> KernelParameter:
    size = size_in_bytes(formal.type, formal.vector, formal.shape) or 8
    align = formal.align or min(size, 8)
    region = Region("param", formal.name, size, align, parameter=True)
    return KernelParameter(
        formal.name,
        index,
        formal.type,
        size,
        region,
        formal.pointer_space,
        formal.pointer_align,
        formal.pointer,
    )
