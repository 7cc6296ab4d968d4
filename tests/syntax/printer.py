"""A syntax tree as PTX text: ``parse(print_module(tree))`` is ``tree`` again.

One line a statement, a tab a scope. Constants come out as parsing folded them: integers in decimal,
floats by their bits. Comments and the spelling of white space are not in the tree and are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ptxlint.syntax import ast


def print_module(module: ast.Module) -> str:
    """The text of a module."""
    lines = [".version {}.{}".format(*module.version)]
    if module.targets:
        lines.append(f".target {', '.join(module.targets)}")
    if module.address_size is not None:
        lines.append(f".address_size {module.address_size}")
    for item in module.items:
        lines += _item(item)
    return "\n".join(lines) + "\n"


def _item(item: ast.Item) -> Iterator[str]:
    match item:
        case ast.Function():
            yield from _function(item)
        case ast.Variable() | ast.Pragma():
            yield from print_statement(item)
        case ast.File(index, names, stamp):
            yield ", ".join([f".file {index} {_strings(names, ' ')}", *map(str, stamp)])
        case ast.Section("@@DWARF", text):
            yield f"@@DWARF {text}"
        case ast.Section(".nv_intermediate_source_section" as name, text):
            yield f"{name} {{\n{text}\n}}"
        case ast.Section(name, text):
            yield f".section {name} {{\n{text}\n}}"
        case ast.Alias(name, target):
            yield f".alias {name}, {target};"
        case ast.Directive():
            yield _directive(item)
        case _:
            assert_never(item)


def _function(function: ast.Function) -> Iterator[str]:
    words = [f".{word}" for word in function.linkage]
    words += [".entry" if function.entry else ".func", *_attributes(function.attributes)]
    if function.returns:
        words.append(_parameters(function.returns))
    words += [function.name, _parameters(function.parameters)]
    words += [_directive(directive) for directive in function.directives]
    if function.body is None:
        yield " ".join(words) + ";"
        return
    yield " ".join(words)
    yield from _scope(function.body)


def _scope(scope: ast.Scope) -> Iterator[str]:
    yield "{"
    for statement in scope.statements:
        for line in print_statement(statement):
            yield f"\t{line}"
    yield "}"


def print_statement(statement: ast.Statement) -> Iterator[str]:
    """The lines of a statement."""
    match statement:
        case ast.Instruction():
            yield _instruction(statement)
        case ast.Label(name):
            yield f"{name}:"
        case ast.Variable():
            yield _variable(statement)
        case ast.Loc():
            yield _loc(statement)
        case ast.Pragma(strings):
            yield f".pragma {_strings(strings, ', ')};"
        case ast.Targets(label, kind, names):
            yield f"{label}: .{kind} {', '.join(names)};"
        case ast.CallPrototype(label, returns, parameters, directives):
            words = [f"{label}: .callprototype", _parameters(returns), "_", _parameters(parameters)]
            yield " ".join([*words, *map(_directive, directives)]) + ";"
        case ast.Scope():
            yield from _scope(statement)
        case _:
            assert_never(statement)


def _instruction(node: ast.Instruction) -> str:
    text = node.text
    if node.guard is not None:
        text = f"@{'!' if node.guard.negated else ''}{node.guard.name} {text}"
    return f"{text} {_operands(node.operands)};" if node.operands else f"{text};"


def _variable(node: ast.Variable) -> str:
    words = [f".{word}" for word in (*node.linkage, node.space)]
    words += _attributes(node.attributes)
    if node.align is not None:
        words.append(f".align {node.align}")
    words += [f".{word}" for word in (node.vector, node.type) if word]
    return f"{' '.join(words)} {', '.join(map(_declarator, node.declarators))};"


def _declarator(node: ast.Declarator) -> str:
    count = "" if node.count is None else f"<{node.count}>"
    initial = "" if node.initial is None else f" = {_initial(node.initial)}"
    return f"{node.name}{count}{_shape(node.shape)}{initial}"


def _initial(initial: ast.Initial) -> str:
    if isinstance(initial, str):
        return f"{{{initial}}}"
    if isinstance(initial, tuple):
        return f"{{{', '.join(map(_initial, initial))}}}"
    return print_operand(initial)


def _loc(node: ast.Loc) -> str:
    word = ".loc_intermediate" if node.intermediate else ".loc"
    text = f"{word} {node.file} {node.line} {node.column}"
    if (at := node.inlined_at) is not None:
        text += f", function_name {at.function}, inlined_at {at.file} {at.line} {at.column}"
    return text


def _parameters(parameters: tuple[ast.Parameter, ...]) -> str:
    return f"({', '.join(map(_parameter, parameters))})"


def _parameter(node: ast.Parameter) -> str:
    words = [f".{node.space}"]
    if node.align is not None:
        words.append(f".align {node.align}")
    words += [f".{word}" for word in (node.vector, node.type) if word]
    if node.pointer:
        words.append(".ptr")
        words += [f".{node.pointer_space}"] if node.pointer_space else []
        words += [f".align {node.pointer_align}"] if node.pointer_align is not None else []
    words += [node.name + _shape(node.shape)] if node.name or node.shape else []
    return " ".join(words)


def _directive(node: ast.Directive) -> str:
    text = f".{node.name}"
    if node.values:
        text += " " + ", ".join(map(str, node.values))
    return f"{text};" if node.name == "pragma" else text


def _attributes(attributes: tuple[str, ...]) -> list[str]:
    return [f".attribute({', '.join(f'.{word}' for word in attributes)})"] if attributes else []


def _shape(shape: tuple[int | None, ...]) -> str:
    return "".join(["[]" if extent is None else f"[{extent}]" for extent in shape])


def _strings(strings: tuple[str, ...], between: str) -> str:
    return between.join([f'"{string}"' for string in strings])


def _operands(operands: tuple[ast.Operand, ...]) -> str:
    return ", ".join(map(print_operand, operands))


def print_operand(operand: ast.Operand) -> str:
    """The text of an operand."""
    match operand:
        case ast.Name(text):
            return text
        case ast.Integer(value, unsigned):
            return f"{value}U" if unsigned else str(value)
        case ast.Float(bits, 32):
            return f"0f{bits:08X}"
        case ast.Float(bits):
            return f"0d{bits:016X}"
        case ast.Negated(name):
            return f"!{name.text}"
        case ast.Minus(name):
            return f"-{name.text}"
        case ast.Pair(first, second):
            return f"{print_operand(first)}|{print_operand(second)}"
        case ast.Vector(elements):
            return f"{{{_operands(elements)}}}"
        case ast.Arguments(elements):
            return f"({_operands(elements)})"
        case ast.Element(name, index):
            return f"{name}[{print_operand(index)}]"
        case ast.SymbolOffset():
            return _symbol(operand)
        case ast.Address():
            return _address(operand)
        case _:
            assert_never(operand)


def _symbol(operand: ast.SymbolOffset) -> str:
    name = f"generic({operand.name})" if operand.generic else operand.name
    # Without brackets around it a bare name would be a Name, so a zero offset is written out.
    offset = f"+{operand.offset}" if operand.offset or operand.mask is None else ""
    inner = f"{name}{offset}" if name else f"{operand.offset}"
    return inner if operand.mask is None else f"0x{operand.mask:X}({inner})"


def _address(operand: ast.Address) -> str:
    base = operand.base
    # Of generic(sym)+4 the address has taken the offset.
    text = print_operand(base)
    if isinstance(base, ast.SymbolOffset):
        text = f"generic({base.name})"
    if operand.offset:
        text += f"+{operand.offset}"
    text = ", ".join([text, *map(print_operand, operand.rest)])
    return f"[{text}]{'.unified' if operand.unified else ''}"
