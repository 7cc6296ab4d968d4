"""Launches of CuPy's kernels of expressions, ``ElementwiseKernel`` and ``ReductionKernel``.

CuPy itself writes their CUDA C, which needs no GPU, for the types and axes that are worked out
here. Arrays in order are passed as vectors; others keep their axes, also where CuPy would merge
some: the addresses are the same. A reduction is the kernel that CuPy launches where it does not
call CUB. Its accesses belong to the lines of the user's expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from msgspec import Struct

from ptxlint.contracts.captured import ArrayBytes, contiguous
from ptxlint.contracts.declaration import Triple
from ptxlint.errors import Error
from ptxlint.frontends.array_views import ArrayView, CallArgument, Shape, common, described, merged
from ptxlint.frontends.cuda_text import CudaText, kernel_of, origin_of
from ptxlint.frontends.cupy_arguments import arguments, included
from ptxlint.frontends.kernels import SLOT, LoadedKernel, Value, Word

HEADERS = ("complex.cuh", "carray.cuh", "atomics.cuh", "math_constants.h")
"""What CuPy lets its kernels include."""

ARRAY, INDEXER, SCALAR = 1, 2, 3
"""How CuPy numbers kinds of arguments."""

LARGE = 1 << 31
"""So many bytes, or elements, are counted in 64 bits."""

AROUND = re.compile(r"_raw_\w+\[_(in_|out_)?ind\.get\(\)\]|static_cast<_type_reduce>")
RESULT = re.compile(r"_raw_\w+\[_out_ind\.get\(\)\]|POST_MAP\(_s\)")
"""Lines that CuPy writes around an expression, or its last one, and that make its accesses."""

Make = Callable[[int, Shape, Any], Word]
"""Memory for a result: its position among the arguments, its shape, the type of its elements."""

UNPLACED = 1 << 60
"""An address that no GPU has."""

Origin = tuple[str, int] | None
"""The file and the line of an expression, if it is found."""


class Expressions(Struct, frozen=True, eq=False):
    """A kernel of CuPy, and where its first and its last expression are written."""

    kernel: Any
    first: Origin
    last: Origin

    @classmethod
    def of(cls, kernel: Any) -> Expressions:
        """Of a kernel that is just being made."""
        texts = [kernel.operation] * 2 if hasattr(kernel, "operation") else [
            kernel.map_expr, kernel.post_map_expr
        ]  # fmt: skip
        return cls(kernel, *map(origin_of, texts))

    @property
    def raw(self) -> list[bool]:
        return [formal.raw for formal in self.formals]

    @property
    def formals(self) -> Sequence[Any]:
        found: Sequence[Any] = self.kernel.in_params + self.kernel.out_params
        return found

    def arguments(self, args: Sequence[Any]) -> list[CallArgument]:
        """The arguments, arrays described. Raises Error."""
        kernel = self.kernel
        if len(args) not in (kernel.nin, kernel.nin + kernel.nout):
            many = f"{kernel.nin} arguments, or {kernel.nin + kernel.nout} with results"
            raise Error(f"{kernel.name} takes {many}, not {len(args)}")
        return described(args)

    def types(self, given: Sequence[CallArgument]) -> tuple[list[Any], dict[str, Any]]:
        """The types of the parameters, and of the names for types. Raises Error."""
        kernel, known = self.kernel, [_type(each) for each in given]
        decide = core("_kernel", "_decide_params_type")
        try:
            ins, outs, _ = decide(
                kernel.in_params, kernel.out_params,
                tuple(known[: kernel.nin]), tuple(known[kernel.nin :]),
            )  # fmt: skip
        except (TypeError, KeyError) as error:
            raise Error(f"{kernel.name}: {error}") from None
        types = [*ins, *outs]
        pairs = zip(self.formals, types, strict=True)
        return types, {formal.ctype: kind for formal, kind in pairs if formal.dtype is None}


class ExpressionLaunch(Struct, frozen=True, eq=False):
    """What is launched for a call, and its results; without elements nothing is."""

    loaded: LoadedKernel | None
    grid: Triple
    block: Triple
    values: Sequence[Value]
    results: Sequence[ArrayView]


# --- launches


def elementwise(
    written: Expressions, args: Sequence[Any], make: Make, size: int | None = None, block: int = 128
) -> ExpressionLaunch:
    """A call of a ``cupy.ElementwiseKernel``. Raises Error."""
    kernel, given = written.kernel, written.arguments(args)
    shape = common(given, written.raw) if size is None else (size,)
    types, names = written.types(given)
    given, results = with_results(kernel, given, types, shape, make)
    given = broadcast(given, shape, written.raw)
    many = prod(shape)
    if not many:
        return ExpressionLaunch(None, (1, 1, 1), (1, 1, 1), (), results)
    if kernel.reduce_dims:
        given, shape = merged(given, shape, written.raw)
    infos = (*map(info, given, types), indexed(shape))
    code = core("_kernel", "_get_elementwise_kernel_code")(
        infos, core("_kernel", "_TypeMap")(tuple(sorted(names.items()))), kernel.params,
        kernel.operation, kernel.name, kernel.preamble, **kernel.kwargs,
    )  # fmt: skip
    loaded = compiled(written, code, kernel.operation, kernel.kwargs.get("options", ()))
    values = arguments(loaded, [*map(value, given, types), indexer(shape)])
    grid = min(-(-many // block), LARGE - 1), 1, 1
    return ExpressionLaunch(loaded, grid, (min(block, many), 1, 1), values, results)


def reduction(
    written: Expressions, args: Sequence[Any], make: Make, axis: Any = None, keepdims: bool = False
) -> ExpressionLaunch:
    """A call of a ``cupy.ReductionKernel``. Raises Error."""
    kernel, given = written.kernel, written.arguments(args)
    nin, raw = kernel.nin, written.raw
    shape = common(given[:nin], raw)
    reduced, kept = core("_reduction", "_get_axis")(axis, len(shape))
    types, names = written.types(given)
    after = tuple(core("_reduction", "_get_out_shape")(shape, reduced, kept, keepdims))
    given, results = with_results(kernel, given, types, after, make)
    if not prod(after):
        return ExpressionLaunch(None, (1, 1, 1), (1, 1, 1), (), results)
    axes = (*reduced, *kept)
    whole = raw[:nin]
    laid = zip(broadcast(given[:nin], shape, raw), whole, strict=True)
    ins = [each.permuted(axes) if isinstance(each, ArrayView) and not own else each
           for each, own in laid]  # fmt: skip
    shape, outs = tuple(shape[at] for at in axes), given[nin:]
    along = [each for each, own in zip(ins, whole, strict=True) if not own]
    row = side_by_side(along, len(kept))
    if kernel.reduce_dims:
        (ins, shape), (outs, after) = merged(ins, shape, whole), merged(outs, after, raw[nin:])
    threads, stride, blocks = core("_reduction", "_get_block_specs")(
        prod(shape), prod(after), row, -1
    )
    infos = (*map(info, [*ins, *outs], types), indexed(shape), indexed(after), info(0, "int32"))
    index = "int64" if prod(shape) // prod(after) >= LARGE else "int32"
    pairs = (*sorted(names.items()), ("IndexT", index))
    code = core("_reduction", "_ReductionKernel_get_cached_function_code")(
        nin, kernel.nout, kernel._params, infos, core("_kernel", "_TypeMap")(pairs), kernel.name,
        threads, kernel.reduce_type, kernel.identity, kernel.map_expr, kernel.reduce_expr,
        kernel.post_map_expr, kernel.preamble, kernel.options,
    )  # fmt: skip
    loaded = compiled(written, code, kernel.map_expr, kernel.options)
    rest = indexer(shape), indexer(after), stride
    values = arguments(loaded, [*map(value, [*ins, *outs], types), *rest])
    return ExpressionLaunch(loaded, (blocks, 1, 1), (threads, 1, 1), values, results)


def with_results(
    kernel: Any, given: Sequence[CallArgument], types: Sequence[Any], shape: Shape, make: Make
) -> tuple[list[CallArgument], list[ArrayView]]:
    """The arguments with memory for results, where none is given; the results."""
    import numpy as np

    found = list(given)
    for at, kind in enumerate(types[len(given) :], len(given)):
        dtype = np.dtype(kind)
        memory, strides = make(at, shape, dtype), contiguous(shape, dtype.itemsize)
        found.append(ArrayView(memory, dtype, shape, strides))
    return found, found[kernel.nin :]


def broadcast(
    given: Sequence[CallArgument], shape: Shape, raw: Sequence[bool]
) -> list[CallArgument]:
    each = zip(given, raw, strict=False)
    return [v.along(shape) if isinstance(v, ArrayView) and not whole else v for v, whole in each]


def side_by_side(given: Sequence[CallArgument], axes: int) -> int:
    """How many elements along the last axes lie side by side in some array."""
    best = 1
    for each in given:
        if isinstance(each, ArrayView) and axes:
            many = 1
            for n, stride in zip(each.shape[: -axes - 1 : -1], each.strides[::-1], strict=False):
                if stride != many * each.dtype.itemsize:
                    break
                many *= n
            best = max(best, many)
    return best


def empty(at: int, shape: Shape, dtype: Any) -> Word:
    """Memory for a result of a run."""
    import numpy as np

    return np.empty(shape, dtype)


def unplaced(at: int, shape: Shape, dtype: Any) -> Word:
    """Memory for a result that a GPU would place somewhere, apart from all that is given."""
    size = prod(shape) * dtype.itemsize
    strides = contiguous(shape, dtype.itemsize)
    return ArrayBytes(UNPLACED + at * SLOT, size, shape, strides, dtype.itemsize)


# --- what CuPy writes


def core(module: str, name: str) -> Any:
    """A function of CuPy's that writes kernels. Raises Error."""
    try:
        from cupy import _core

        return getattr(getattr(_core, module), name)
    except (ImportError, AttributeError):
        said = f"CuPy has no {module}.{name}: the kernels of expressions of CuPy 14 are known"
        raise Error(said) from None


def _type(each: CallArgument) -> Any:
    return each.dtype.type if isinstance(each, ArrayView) else None


def info(each: CallArgument, kind: Any) -> Any:
    """What CuPy knows of an argument when it writes a kernel."""
    import numpy as np

    make = core("_kernel", "_ArgInfo")
    if not isinstance(each, ArrayView):
        return make(SCALAR, core("_scalar", "CScalar"), np.dtype(kind), 0, True, True)
    array = core("core", "ndarray")
    ordered, narrow = each.ordered, each.size * each.dtype.itemsize < LARGE
    return make(ARRAY, array, each.dtype, len(each.shape), ordered, narrow)


def indexed(shape: Shape) -> Any:
    """The same of the indices of a launch."""
    make, kind = core("_kernel", "_ArgInfo"), core("_carray", "Indexer")
    return make(INDEXER, kind, None, len(shape), True, prod(shape) < LARGE)


def indexer(shape: Shape) -> tuple[int, ...]:
    """The structure that stands for the indices: how many, the shape, the present one."""
    return prod(shape), *shape, *(0 for _ in shape)


def value(each: CallArgument, kind: Any) -> Any:
    """An argument as the kernel takes it."""
    import numpy as np

    return each.words if isinstance(each, ArrayView) else np.dtype(kind).type(each)


def compiled(
    written: Expressions, code: str, expression: str, options: Sequence[str]
) -> LoadedKernel:
    """The kernel, whose lines are those of the expressions. Raises Error."""
    kernel = written.kernel
    text = "".join(f"#include <cupy/{name}>\n" for name in HEADERS) + code
    place = next((each[0] for each in (written.first, written.last) if each), "")
    path = re.sub(r"[^/]*$", f"{kernel.name}.cu", place)
    owners = dict(owned(text, expression, written))
    whole = CudaText(text, path, directed="\n".join(directed(text, owners, path)))
    found = kernel_of(whole, kernel.name, included(tuple(options)))
    formals = getattr(kernel, "params", None) or kernel._params
    names = tuple(formal.name for formal in formals)
    return LoadedKernel(found.program, found.kernel, names, found.texts)


def owned(
    code: str, expression: str, written: Expressions
) -> Iterator[tuple[int, tuple[str, int]]]:
    """The lines of generated code that belong to a line of the user's."""
    start = max(code.find("_ind.set("), 0)
    first = code.count("\n", 0, max(code.find(expression, start), 0)) + 1
    for number, line in enumerate(code.splitlines(), 1):
        within = 0 <= number - first <= expression.count("\n")
        if RESULT.search(line) and written.last:
            yield number, written.last
        elif within and written.first:
            yield number, (written.first[0], written.first[1] + number - first)
        elif AROUND.search(line) and written.first:
            yield number, written.first


def directed(code: str, owners: Mapping[int, tuple[str, int]], path: str) -> Iterator[str]:
    """The lines of code, with the directives that say which lines of which file they are."""
    expected = path, 1
    for number, line in enumerate(code.splitlines(), 1):
        own = owners.get(number, (path, number))
        if own != expected:
            yield f'#line {own[1]} "{own[0].rpartition("/")[2]}"'
        yield line
        expected = own[0], own[1] + 1
