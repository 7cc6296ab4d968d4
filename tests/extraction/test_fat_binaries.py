"""PTX is found in fat binaries, whatever file holds them and however they are compressed."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptxlint
from ptxlint.extraction.errors import ExtractionError
from ptxlint.extraction.fat_binaries import images, sources
from ptxlint.extraction.lz4 import CutBlockError, decompressed
from tests.extraction.writer import ELF, LZ4, ZSTD, fat_binary, image, packed_with_lz4

DEMO = Path(ptxlint.__file__).parent / "demo" / "transpose.ptx"
TEXT = DEMO.read_text()
NEWER = TEXT.replace(".target sm_80", ".target sm_90a")
OBJECT = b"\x7fELF\x02\x01\x01" + bytes(999)


def compressed(text: str, how: int) -> bytes:
    data = text.encode()
    if how == LZ4:
        return image(packed_with_lz4(data), flags=LZ4, size=len(data))
    if how == ZSTD:
        zstandard = pytest.importorskip("zstandard")
        return image(zstandard.ZstdCompressor().compress(data), flags=ZSTD, size=len(data))
    return image(data)


@pytest.mark.parametrize("how", [0, LZ4, ZSTD], ids=["plain", "lz4", "zstd"])
def test_a_compressed_text_is_that_which_went_in(how: int) -> None:
    (source,) = sources("libk.so", OBJECT + fat_binary(compressed(TEXT, how)) + bytes(77))
    assert source.text == TEXT
    assert source.path == "libk.1.sm_80.ptx"


def test_all_fat_binaries_of_a_file_are_read_and_each_text_once() -> None:
    code = image(b"\x7fELF not PTX", kind=ELF)
    first = fat_binary(code, compressed(TEXT, 0), compressed(NEWER, LZ4))
    found = sources("a.out", OBJECT + first + OBJECT + fat_binary(compressed(TEXT, LZ4)))
    assert [source.path for source in found] == ["a.1.sm_80.ptx", "a.2.sm_90a.ptx"]


def test_a_library_is_checked_like_its_ptx(tmp_path: Path) -> None:
    library = tmp_path / "libk.so"
    library.write_bytes(OBJECT + fat_binary(compressed(TEXT, LZ4)))
    report, plain = ptxlint.check(library), ptxlint.check(DEMO)
    assert [kernel.name for kernel in report.kernels] == ["transpose"]
    assert report.summary.accesses == plain.summary.accesses
    assert report.kernels[0].accesses[0].ptx.path == str(tmp_path / "libk.1.sm_80.ptx")


def test_a_folder_has_its_binaries_checked_each_text_once(tmp_path: Path) -> None:
    for name in ("k.o", "libk.so"):
        (tmp_path / name).write_bytes(OBJECT + fat_binary(compressed(TEXT, 0)))
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "libk.so").write_bytes(fat_binary(compressed(NEWER, 0)))
    (tmp_path / "host.o").write_bytes(OBJECT)
    (tmp_path / "host.so").write_text("GROUP ( libhost.so.1 )")
    report = ptxlint.check(tmp_path)
    assert [kernel.name for kernel in report.kernels] == ["transpose"]
    assert not report.diagnostics


# --- hostile and cut files


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (OBJECT, "x.so: this is a compiled binary without PTX"),
        (
            OBJECT + fat_binary(image(b"\x7fELF", kind=ELF)),
            "x.so: this is a compiled binary without PTX",
        ),
        (fat_binary(image(b"text"))[:-3], "x.so: a cut fat binary: 3 bytes are missing"),
        (fat_binary(b"\1" * 64), "x.so: a broken fat binary: no image at byte 16"),
        (
            fat_binary(image(b"\x10a\xff\xff", flags=LZ4, size=50)),
            "x.so: PTX image 1 cannot be decompressed: a copy from outside",
        ),
        (
            fat_binary(image(b"a", flags=LZ4, size=2**40)),
            "x.so: more than 256 MiB of PTX",
        ),
    ],
)
def test_a_broken_file_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(ExtractionError, match=re.escape(message)) as refused:
        sources("x.so", data)
    assert "\n" not in str(refused.value)


def test_a_frame_that_claims_to_be_large_is_not_believed() -> None:
    zstandard = pytest.importorskip("zstandard")
    bomb = zstandard.ZstdCompressor().compress(bytes(2**26))
    with pytest.raises(ExtractionError, match="more than 9 bytes"):
        sources("x.so", fat_binary(image(bomb, flags=ZSTD, size=9)))


def test_cut_and_changed_files_are_read_or_refused() -> None:
    data = OBJECT + fat_binary(compressed(TEXT, LZ4), image(b"\x7fELF", kind=ELF), image(b"text"))
    chance = random.Random(1)
    for _ in range(400):
        broken = bytearray(data[: chance.randrange(len(data))])
        for _ in range(chance.randrange(4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        try:
            sources("x.so", bytes(broken))
        except ExtractionError as error:
            assert "\n" not in str(error)


@given(st.binary(max_size=200))
def test_any_block_is_decompressed_or_refused(block: bytes) -> None:
    with suppress(CutBlockError):
        assert len(decompressed(block, 300)) == 300


@given(st.lists(st.sampled_from([b"ld.global", b".f32 ", b"x", b"\0\0\0\0"]), max_size=200))
def test_what_was_compressed_is_decompressed(words: list[bytes]) -> None:
    text = b"".join(words)
    assert decompressed(packed_with_lz4(text), len(text)) == text


# --- against the toolkit


CODE = """
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def run(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvcc"), reason="no toolkit")
@pytest.mark.parametrize("mode", ["none", "speed", "default", "size"])
@pytest.mark.parametrize("kind", ["-fatbin", "-c", "-dc", "-shared", "-lib"])
def test_all_that_the_toolkit_writes_is_read(tmp_path: Path, mode: str, kind: str) -> None:
    if mode in ("default", "size"):
        pytest.importorskip("zstandard")
    (tmp_path / "k.cu").write_text(CODE)
    out = tmp_path / "libk.out"
    targets = [f"-gencode=arch=compute_{cc},code=compute_{cc}" for cc in (80, 90)]
    fits = ["-Xcompiler", "-fPIC"] if kind == "-shared" else []
    run("nvcc", f"--compress-mode={mode}", *targets, kind, *fits, tmp_path / "k.cu", "-o", out)
    found = sources(str(out), out.read_bytes())
    assert [".entry saxpy(" in source.text for source in found] == [True, True]
    assert sum(image.kind == 1 for image in images(str(out), out.read_bytes())) == 2
    if shutil.which("cuobjdump"):
        said = run("cuobjdump", "-lptx", out)
        listed = re.findall(r"^PTX file +\d+: (\S+)", said, re.M)
        assert len(listed) == len(found)
        if kind != "-lib":  # where it names the member
            assert [Path(source.path).name for source in found] == listed
