"""Launch options: what they say of a kernel, and what is said of those that cannot be."""

from __future__ import annotations

import shlex

import pytest

from analyses.program import Region
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError, Range
from ptxlint.contracts.expression import parse
from ptxlint.contracts.launch import MAX_BUFFER, Extent, Launch
from ptxlint.contracts.resolution import required, resolved
from ptxlint.ir import Kernel, KernelParameter

TYPES = {"u64": 8, "u32": 4, "f32": 4, "b64": 8, "b8": 24}


def kernel(*types: str, name: str = "k", **directives: tuple[int, ...]) -> Kernel:
    """A kernel with parameters of these types; ``ptr`` is a declared pointer."""
    parameters = []
    for index, word in enumerate(types):
        kind = "u64" if word == "ptr" else word
        region = Region("param", f"{name}_param_{index}", TYPES[kind])
        parameters.append(
            KernelParameter(
                region.name, index, kind, TYPES[kind], region, declared_pointer=word == "ptr"
            )
        )
    return Kernel(name, tuple(parameters), [], (), 0, **directives)  # type: ignore[arg-type]


IN_OUT_N = kernel("u64", "u64", "u32")


def launch(options: str, of: Kernel = IN_OUT_N) -> Launch:
    contract = Contract.from_options(shlex.split(options))
    required([contract], [(of, None)])
    return resolved([contract], of)


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("256", (256, 1, 1)),
        ("32x8", (32, 8, 1)),
        ("32,8", (32, 8, 1)),
        ("(32, 8)", (32, 8, 1)),
        ("(256,)", (256, 1, 1)),
        ("4x4x64", (4, 4, 64)),
    ],
)
def test_block(text: str, block: tuple[int, int, int]) -> None:
    assert launch(f"--block '{text}'").block == block


@pytest.mark.parametrize(
    "options",
    [
        "--params in,out,n --arg n=1000 --buffer in=4*n",
        "--arg k_param_2=1000 --buffer k_param_0=4*k_param_2",
        "--params in,out,n --arg 2=1000 --buffer 0=4*n@256",
        "--params in,out,n --arg n=1000 --buffer in=4*k_param_2",
        "--arg param_2=1000 --buffer param_0=4*param_2",
    ],
)
def test_a_parameter_goes_by_any_of_its_names(options: str) -> None:
    found = launch(options)
    assert found.values == {2: Range(1000, 1000)}
    assert found.buffers == {0: Extent(Range(4000, 4000), 256)}


def test_ranges_give_extents_between_bounds() -> None:
    found = launch("--params in,out,n --arg n=1..2**12 --buffer in=4*n@16 --buffer out=min(n,64)")
    assert found.values[2] == Range(1, 4096)
    assert found.buffers[0] == Extent(Range(4, 16384), 16, parse("4*k_param_2"))
    assert found.buffers[1] == Extent(Range(1, 64), 256, parse("min(k_param_2, 64)"))


def test_an_integer_that_only_a_size_speaks_of_is_not_negative() -> None:
    found = launch("--params in,out,n --buffer in=4*n --buffer out=ntid.x*nctaid.x")
    assert found.counts == {2}
    shape = "*".join(f"{name}.{axis}" for name in ("ntid", "nctaid") for axis in "xyz")
    assert launch(f"--params in,out,n --buffer in={shape}*n").counts == {2}
    assert found.buffers[0] == Extent(Range(0, MAX_BUFFER), 256, parse("4*k_param_2"))
    assert found.buffers[1] == Extent(Range(0, MAX_BUFFER), 256, parse("ntid.x*nctaid.x"))


def test_sizes_may_speak_of_the_shape() -> None:
    found = launch("--block 64x2 --grid 4 --buffer 0=ntid.x*nctaid.x --shared 4*ntid.y")
    assert found.buffers[0].bytes == Range(256, 256)
    assert found.shared == Extent(Range(8, 8))


def test_sources_count_in_their_order() -> None:
    command = Contract.from_options(["--arg", "n=8", "--block", "64"])
    words = "--params in,out,n --arg n=16 --arg out=7 --buffer in=4*n --block 32 --grid 2"
    file = Contract.from_options(words.split(), "launches.toml")
    found = resolved([command, file], IN_OUT_N)
    assert (found.block, found.grid) == ((64, 1, 1), (2, 1, 1))
    assert found.values == {2: Range(8, 8), 1: Range(7, 7)}
    assert found.buffers == {0: Extent(Range(32, 32))}
    assert found.origin == "command line and launches.toml"


@pytest.mark.parametrize(
    ("option", "value"),
    [("a=2.5", 2.5), ("a=1e-3", 1e-3), ("a=-inf", float("-inf")), ("a=2", 2.0)],
)
def test_a_float(option: str, value: float) -> None:
    assert launch(f"--params a --arg {option}", kernel("f32")).values == {0: value}


@pytest.mark.parametrize(
    ("options", "of", "origin"),
    [
        ("", kernel(), "unspecified (every grid and block)"),
        ("--block 64", kernel(), "command line"),
        ("", kernel(required_threads=(16, 4)), "PTX directives"),
        ("--grid 2", kernel(required_threads=(16, 4)), "command line and PTX directives"),
        ("--params a", kernel("f32"), "unspecified (every grid and block)"),
    ],
)
def test_origin(options: str, of: Kernel, origin: str) -> None:
    assert launch(options, of).origin == origin


def test_directives_bound_the_block() -> None:
    assert launch("", kernel(required_threads=(16, 4))).block == (16, 4, 1)
    bounded = launch("", kernel(max_threads=(128, 2)))
    assert (bounded.block, bounded.max_threads) == (None, 256)


def test_comments_of_a_kernel_declare_its_launch() -> None:
    text = "// launch: --block 64 --arg n=5 --buffer y=4*64\n  // params: n,y\nint x;\n"
    found = resolved([Contract.from_comments(text)], kernel("u32", "u64"))
    assert (found.block, found.values) == ((64, 1, 1), {0: Range(5, 5)})
    assert found.buffers[1].bytes == Range(256, 256)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--block 0", "--block 0: x is 0, expected 1 to 1024"),
        ("--block 2048", "--block 2048: 2048 threads, a block has at most 1024"),
        ("--block 64x32", "--block 64x32: 2048 threads, a block has at most 1024"),
        ("--block 1x1x65", "--block 1x1x65: z is 65, expected 1 to 64"),
        ("--block big", "--block big: expected one to three sizes, like 256 or 32x8"),
        ("--block 1x1x1x1", "--block 1x1x1x1: expected one to three sizes, like 256 or 32x8"),
        ("--grid 1x65536", "--grid 1x65536: y is 65536, expected 1 to 65535"),
        ("--shared 4*-1", "--shared 4*-1: the extent may be negative, -4 bytes"),
        ("--shared 4294967296", "--shared 4294967296: expected at most 4294967295 bytes"),
        (f"--shared {10**20}", f"--shared {10**20}: expected at most 4294967295 bytes"),
        (f"--buffer 0={2**63}", f"--buffer 0={2**63}: expected at most {2**63 - 1} bytes"),
        ("--shared 227KiB+1", "--shared 227KiB+1: 232449 bytes, a block has at most 232448"),
        (
            "--shared 48K",
            "--shared 48K: column 3: expected a unit (B, KiB, MiB, GiB, kB, MB, GB), found 'K'",
        ),
        ("--shared 64@16", "--shared 64@16: where dynamic shared memory begins is not declared"),
        ("--arg n", "--arg n: expected NAME=VALUE, like n=1000"),
        ("--arg n=1 --arg n=2", "--arg n=2: n is declared twice"),
        ("--arg k_param_2=1 --arg 2=2", "--arg 2: the same parameter as k_param_2"),
        ("--arg n=9..3", "--arg n=9..3: the range is empty"),
        ("--arg 2=1.5", "--arg 2=1.5: 2 is .u32, expected an integer"),
        ("--arg 2=2**32", "--arg 2: 2 is .u32, the value does not fit in 32 bits"),
        (
            "--arg m=5",
            "--arg m: no kernel has a parameter m, this kernel's are param_0, param_1, param_2",
        ),
        (
            "--params in,out,n --buffer im=4",
            "--buffer im: no kernel has a parameter im, this kernel's are in, out, n",
        ),
        ("--params a,b,c,d", "--params: 4 names, but no kernel has more than 3 parameters"),
        (
            "--params param_1",
            "--params param_1: kernel k calls another parameter so: name all 3",
        ),
        ("--params a,,b", "--params a,,b: '' is no name, expected like in,out,n"),
        ("--params a,b,a", "--params a,b,a: a stands twice"),
        ("--buffer 2=64", "--buffer 2=64: 2 is no pointer, it is .u32"),
        ("--buffer 0=64@12", "--buffer 0=64@12: the alignment 12 is no power of two"),
        ("--buffer 0=4*)", "--buffer 0=4*): column 3: expected a number, a name or '(', found ')'"),
        (
            "--params x,y,n --assume n",
            "--assume n: column 2: expected a comparison (< <= > >= == !=), the text ends",
        ),
        ("--params x,y,n --assume n=4", "--assume n=4: column 2: '=', expected =="),
        (
            "--params x,y,n --arg n=1..9 --assume n>9",
            "--assume n>9: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --arg n=9 --assume 'n % 4 == 0'",
            "--assume n % 4 == 0: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --assume 'n > ntid.x and ntid.x > 64' --assume 'n <= 64'",
            "--assume n <= 64: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --arg n=1..3 --assume 'n % 4 == 0'",
            "--assume n % 4 == 0: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --assume 'n % 4 == 1' --assume 'n % 6 == 0'",
            "--assume n % 6 == 0: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --assume '10 < n and n <= 15 and n % 16 < 11'",
            "--assume 10 < n and n <= 15 and n % 16 < 11: no launch meets this and all else that is"
            " declared",
        ),
        (
            "--assume 'ntid.x % 2048 == 0'",
            "--assume ntid.x % 2048 == 0: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --arg n=0 --assume '4 // n == 1'",
            "--assume 4 // n == 1: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --arg n=-100..0 --grid '(n+255)/256'",
            "--grid (n+255)/256: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --arg n=1..500 --grid 4,n//512",
            "--grid 4,n//512: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --assume 'n*nctaid.x == 7' --assume 'n == 2'",
            "--assume n == 2: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --assume 'n*n == 2'",
            "--assume n*n == 2: no launch meets this and all else that is declared",
        ),
        (
            "--assume 'ntid.x*ntid.y == 2048'",
            "--assume ntid.x*ntid.y == 2048: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --buffer 'x=4*(n-10)' --assume 'n < 10'",
            "--assume n < 10: no launch meets this and all else that is declared",
        ),
        (
            "--params x,y,n --buffer 'x=4*(n-10)' --buffer 'y=4*(9-n)'",
            "--buffer y=4*(9-n): no launch meets this and all else that is declared",
        ),
        (
            "--assume '2**65 > 1'",
            "--assume 2**65 > 1: the right side of ** must be a number from 0 to 64",
        ),
        (
            "--params x,y,n --assume 'n < 7 // -3'",
            "--assume n < 7 // -3: the right side of // must be positive, it may be -3",
        ),
        ("--assume '1 % 0 == 1'", "--assume 1 % 0 == 1: column 5: the right side of % is 0"),
        ("--writes 2", "--writes 2: 2 is no pointer, it is .u32"),
        (
            "--distinct '0,1 or same when ntid.y < 1'",
            "--distinct 0,1 or same when ntid.y < 1: no launch meets what stands behind 'when'",
        ),
        ("--params x:u32", "--params x: u32, but the PTX has .u64"),
        ("--params x:int", "--params x:int: 'int' is no type, expected like s32"),
        (
            "--params in,out,n --arg n=-1 --buffer in=4*n",
            "--buffer in=4*n: the extent may be negative, -4 bytes",
        ),
        ("--arg 0=7 --buffer 0=64", "--buffer 0: 0 is declared by --arg too"),
        ("--distinct 0", "--distinct 0: expected two buffers or more, like 'in, out'"),
        ("--distinct 0,1,0", "--distinct 0,1,0: 0 stands twice"),
        (
            "--distinct '0, 1 same'",
            "--distinct 0, 1 same: '1 same' is no name, expected like 'in, out' or 'in, out or"
            " same'",
        ),
        (
            "--distinct '0,1 or same when ntid.y'",
            "--distinct 0,1 or same when ntid.y: after 'when': column 7: expected a comparison"
            " (< <= > >= == !=), the text ends",
        ),
        (
            "--distinct '0,1 or same when m == 1'",
            "--distinct 0,1 or same when m == 1: no kernel has a parameter m, this kernel's are"
            " param_0, param_1, param_2",
        ),
        (
            "--distinct 0,im",
            "--distinct 0,im: im: no kernel has a parameter im, this kernel's are param_0, param_1,"
            " param_2",
        ),
        ("--distinct 0,2", "--distinct 0,2: 2 is no pointer, it is .u32"),
        ("--distinct 0,k_param_0", "--distinct 0,k_param_0: k_param_0: the same parameter as 0"),
        ("--arg 0=7 --distinct 0,1", "--distinct 0,1: an --arg declares 0, it is no pointer"),
        ("--arg k_param_0=7 --buffer 0=64", "--buffer 0: an --arg declares this parameter too"),
    ],
)
def test_refused(options: str, message: str) -> None:
    with pytest.raises(ContractError) as error:
        launch(options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("options", "of", "message"),
    [
        (
            "--arg 0=1e39",
            kernel("f32"),
            "--arg 0=1e+39: 0 is .f32, the value does not fit in a float of 32 bits",
        ),
        (
            "--block 128",
            kernel(required_threads=(256,)),
            "--block 128: kernel k requires 256 (.reqntid); --kernel selects others",
        ),
        (
            "--block 32x8",
            kernel(max_threads=(128,)),
            "--block 32x8: 256 threads, kernel k allows 128 (.maxntid); --kernel selects others",
        ),
        (
            "--assume 'ntid.x == 128'",
            kernel(required_threads=(256,)),
            "--assume ntid.x == 128: no launch meets this and all else that is declared",
        ),
        (
            "--assume 'ntid.x == 256'",
            kernel(max_threads=(128,)),
            "--assume ntid.x == 256: no launch meets this and all else that is declared",
        ),
        (
            "--arg 0=64",
            kernel("ptr"),
            "--arg 0: 0 is a pointer, declare it with --buffer",
        ),
        ("--arg 0=64", kernel("b8"), "--arg 0: 0 has 24 bytes, it is no number"),
        (
            "--arg 0=1..2",
            kernel("f32"),
            "--arg 0: 0 is .f32, a range needs an integer parameter",
        ),
    ],
)
def test_refused_by_a_kernel(options: str, of: Kernel, message: str) -> None:
    with pytest.raises(ContractError) as error:
        launch(options, of)
    assert str(error.value) == message


ONE_TILE = Region("shared", "tile", 1024, 4)


@pytest.mark.parametrize(
    ("arch", "target", "most", "of"),
    [
        ("sm_80", "sm_80", 163 * 1024, " of sm_80"),
        ("sm_80", "sm_52", 163 * 1024, " of sm_80"),
        ("sm_80", "sm_90a", 227 * 1024, " of sm_90"),
        ("sm_86", "sm_80", 99 * 1024, " of sm_86"),
        ("sm_120", "sm_80", 99 * 1024, " of sm_120"),
        ("", "sm_80", 227 * 1024, ""),
        ("", "sm_120", 99 * 1024, ""),
    ],
)
def test_shared_memory_is_limited_by_the_later_of_device_and_target(
    arch: str, target: str, most: int, of: str
) -> None:
    def declared(size: int, *regions: Region) -> Launch:
        kernel = Kernel("k", (), [], regions, 0, target=target)
        return resolved([Contract(shared=size)], kernel, arch)

    declared(most)
    declared(most - 1024, ONE_TILE)
    with pytest.raises(ContractError) as error:
        declared(most + 1)
    said = f"shared {most + 1}: {most + 1} bytes, a block{of} has at most {most}"
    assert str(error.value) == said
    with pytest.raises(ContractError, match="bytes beside 1024 of declared arrays, a block"):
        declared(most, ONE_TILE)


def test_of_an_unknown_device_no_limit_is_known() -> None:
    resolved([Contract(shared="1 MiB")], Kernel("k", (), [], (), 0), "sm_130")


def test_a_name_may_belong_to_another_kernel() -> None:
    other = kernel("u32", name="other")
    contract = Contract.from_options(["--arg", "other_param_0=3"])
    required([contract], [(IN_OUT_N, None), (other, None)])
    assert resolved([contract], IN_OUT_N).values == {}
    assert resolved([contract], other).values == {0: Range(3, 3)}
    with pytest.raises(ContractError, match=r"no kernel has a parameter m: k\(.*\), other\("):
        required([Contract.from_options(["--arg", "m=3"])], [(IN_OUT_N, None), (other, None)])


@pytest.mark.parametrize(
    "needs",
    [
        "n % 4 == 1 and n % 6 == 1",
        "n % 3 == 2 and 0 <= n < 3",
        "n % 2 == 0 and n != 0 and n * n < 20 and -2 <= n",
        "n % 5000 == 4999",
        "4 // n == 4",
        "n < 256 and nctaid.x == (n+255)//256",
        "n == 512 and nctaid.x == n//512",
        "ntid.x*ntid.y == 1024 and ntid.z == 1",
        "2**n > 1 and n > 63",
        "n*n == 4",
    ],
)
def test_needs_that_some_launch_meets_are_not_refused(needs: str) -> None:
    launch(f"--params x,y,n --assume '{needs}'")
