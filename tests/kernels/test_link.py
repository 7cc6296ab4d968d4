"""Fragments become one text: each once, after what it imports, at the lines of its own file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pricing_kernels import build
from pricing_kernels.contract import GlobalArray, KernelContract
from pricing_kernels.link import Fragment, LinkError, link, ordered
from pricing_kernels.rng import lcg32, memory

from .test_build import needs_compiler

ONE = KernelContract("one", {"x": GlobalArray(np.uint32, "1")}, (32,))

NUMBER = Fragment(
    "number",
    __file__,
    """\
__device__ unsigned get() { return N; }
""",
    parameters={"N": 7},
)
WRONG = Fragment(
    "wrong",
    __file__,
    """\
__device__ unsigned get()
{
    return undefined_name;
}
""",
)


def body(**imports: Fragment) -> Fragment:
    return Fragment("body", __file__, "{ *x = A::get(); }", imports)


def test_a_fragment_stands_once_and_after_what_it_imports() -> None:
    low = Fragment("low", __file__, "")
    left, right = (Fragment(name, __file__, "", {"L": low}) for name in ("left", "right"))
    main = Fragment("main", __file__, "", {"A": left, "B": right, "C": low})
    names = [fragment.name for fragment in ordered(main)]
    assert sorted(names) == ["left", "low", "main", "right"]
    assert names[0] == "low" and names[-1] == "main"


def test_a_circle_is_refused_and_shown() -> None:
    imports: dict[str, Fragment] = {}
    first = Fragment("first", __file__, "", imports)
    second = Fragment("second", __file__, "", {"F": first})
    imports["S"] = second
    with pytest.raises(LinkError, match="circle: ") as refused:
        ordered(first)
    circle = str(refused.value).partition("circle: ")[2]
    assert circle in ("first -> second -> first", "second -> first -> second")


def test_fragments_of_one_name_are_told_apart() -> None:
    """Two instances with parameters of their own, as in a combined generator."""
    other = Fragment("number", __file__, NUMBER.text, parameters={"N": 9})
    text = link(body(A=NUMBER, B=other), ONE)
    constants = dict(re.findall(r"namespace (\w+) [{]\nenum : unsigned [{] N = (\d)", text))
    aliases = dict(re.findall(r"namespace ([AB]) = (\w+);", text))
    assert {alias: constants[name] for alias, name in aliases.items()} == {"A": "7", "B": "9"}


def test_a_text_that_is_not_in_its_file_is_refused() -> None:
    with pytest.raises(LinkError, match=r"stray: its text is not in test_link\.py"):
        link(Fragment("stray", __file__, "a text " + "put together"), ONE)


def test_without_lines_a_text_stands_for_itself() -> None:
    assert "#line" not in link(body(A=NUMBER), ONE, lines=False)


def test_parameters_become_constants_of_the_least_type() -> None:
    values = {"A": 3, "B": -3, "C": 2**40, "D": (1, 2**32)}
    text = link(Fragment("main", __file__, "{ }", parameters=values), ONE)
    for constant in (
        "enum : unsigned { A = 3u };",
        "enum : int { B = -3 };",
        "enum : unsigned long long { C = 1099511627776ull };",
        "__constant__ const unsigned long long D[2] = {1u, 4294967296ull};",
    ):
        assert constant in text


@needs_compiler
def test_an_error_of_the_compiler_is_at_the_line_of_the_fragment() -> None:
    wrong = Path(__file__).read_text().split("\n").index("    return undefined_name;") + 1
    with pytest.raises(build.BuildError, match=rf"test_link\.py\({wrong}\): error"):
        build.compile_ptx(link(body(A=WRONG), ONE), "one.cu")


@needs_compiler
def test_an_instruction_is_at_the_line_of_the_fragment() -> None:
    """The store of an LCG's state is where its file says ``state[0] = local.x``."""
    ptx = lcg32.GENERATOR.kernels[0].ptx()
    files = dict(re.findall(r'\.file\s+(\d+) "(.+)"', ptx))
    assert sorted(files.values()) == ["generator.py", "lcg32.py", "memory.py"]
    at = re.findall(r"\.loc\s+(\d+) (\d+) \d+.*\n(?:\s*\.loc.*\n)*\s+st\.global\.u32", ptx)
    lines = Path(lcg32.__file__).read_text().splitlines()
    assert [lines[int(row) - 1] for file, row in at if files[file] == "lcg32.py"] == [
        "__device__ __forceinline__ void save(Local& local, M::State state) { state[0] = local.x; }"
    ]
    assert memory.FRAGMENT.origin.endswith('"memory.py"')


@needs_compiler
def test_an_error_in_generated_text_is_at_its_line_of_the_linked_text() -> None:
    wrong = Fragment("made", None, "__device__ unsigned get()\n{\n    return missing;\n}\n")
    text = link(body(A=NUMBER, B=wrong), ONE)
    line = text.split("\n").index("    return missing;") + 1
    with pytest.raises(build.BuildError, match=rf"one\.cu\({line}\): error"):
        build.compile_ptx(text, "one.cu")
