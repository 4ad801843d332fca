"""Indices that overflow 32 bits on their way to an address, and offsets of buffers."""

import indices as kernels
import numpy as np
import pytest
import texts

import hocket
from hocket import errors

_TEXTS = texts.TextsOf(kernels)
place_of, text_of, expected = _TEXTS.place_of, _TEXTS.text_of, _TEXTS.expected


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_product_that_overflows(target):
    x, out = np.zeros(64, np.int32), np.zeros(1, np.int32)
    with hocket.emulator.target(target), pytest.raises(errors.InvalidIndexError) as raised:
        kernels.read_row[(1,)](x, out, 65538, 65536)
    assert text_of(raised.value) == expected(
        "an index overflows 32 bits",
        "row * stride",
        """
        value:  4295098368, whose low 32 bits are 131072
        at:     block (0, 0, 0), warp 0, lane 0
        hint:   compute it in 64 bits: convert an operand first, as in x.to(gl.int64)
        """,
    )


@pytest.mark.parametrize("debug", [False, True])
def test_overflow_check_in_code_for_nvidia(debug):
    """The output on an H200: `block (0, 0, 0), warp 0, lane 0: an index should be 4295098368`, then the file, line,
    kernel, block and thread, and `Assertion ... failed`."""
    x, out = np.zeros(64, np.int32), np.zeros(1, np.int32)
    code = kernels.read_row.warmup(x, out, 65538, 65536, debug=debug, target="sm_90a").asm
    assert ("an index overflows 32 bits: row * stride\\00" in code["llvm"]) == debug
    assert ("lane %u: an index should be %lld\\0A\\00" in code["llvm"]) == debug
    assert ("__assertfail" in code["ptx"]) == debug


@pytest.mark.parametrize("debug", [False, True])
def test_overflow_check_in_code_for_amd(debug):
    """tests/python/runtime/stand_ins/hip/test_messages.py runs the code and checks its output."""
    x, out = np.zeros(64, np.int32), np.zeros(1, np.int32)
    kernel = kernels.read_row.warmup(x, out, 65538, 65536, debug=debug, target="gfx942")
    messages = [failure for _, failure in kernel.metadata.messages]
    line, column, _ = place_of("row * stride")
    assert len(messages) == debug
    assert all(f"indices.py:{line}:{column}: error: an index overflows 32 bits" in text for text in messages)
    assert kernel.asm["amdgcn"].count("s_endpgm\n") == 1 + debug


def test_accesses_that_are_not_made():
    x, out = np.zeros(64, np.int32), np.zeros(1, np.int32)
    kernels.read_row_if[(1,)](x, out, 65538, 65536, 100)
    assert out[0] == 7
    with pytest.raises(errors.InvalidIndexError, match="an index overflows 32 bits"):
        kernels.read_row_if[(1,)](x, out, 65536, 65536, 65537)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_arithmetic_that_may_wrap(target):
    x, out = np.arange(64, dtype=np.int32), np.zeros(3, np.int32)
    with hocket.emulator.target(target):
        kernels.wrap_on_purpose[(1,)](x, out, 123456789)
        kernels.read_row_wide[(1,)](x, out, 65538, 65536)


def test_overflow_in_a_loop():
    x, out = np.zeros(2000, np.int32), np.zeros(1, np.int32)
    kernels.walk[(1,)](x, out, 2**30, 0)
    with pytest.raises(errors.InvalidIndexError, match="value:  4294967296, whose low 32 bits are 0"):
        kernels.walk[(1,)](x, out, 2**30, 4)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_offsets_of_buffers(target):
    x, out = np.zeros(64, np.float32), np.zeros(256, np.float32)
    with hocket.emulator.target(target):
        with pytest.raises(errors.InvalidIndexError) as raised:
            kernels.read_buffer[(1,)](x, out, 2**29, SIZE=64)
    assert text_of(raised.value) == expected(
        "the offset of this buffer access, in bytes, overflows 32 bits",
        "gl.amd.cdna3.buffer_load(x, start + i)",
        """
        value:  2147483648, whose low 32 bits are -2147483648
        at:     block (0, 0, 0), warp 0, lane 0
        hint:   compute it in 64 bits: convert an operand first, as in x.to(gl.int64)
        """,
    )


def test_check_finds_negative_offsets_of_buffers():
    x, out = np.zeros(64, np.float32), np.zeros(64, np.float32)

    def launch():
        kernels.read_buffer[(1,)](x, out, -1, SIZE=64)
        return out

    with hocket.emulator.target("gfx950"):
        launch()  # outside of the buffer: zeros, as on the hardware
        report = hocket.check(launch, target="gfx950", schedules=1)
    (finding,) = report.findings
    assert finding.kind == "invalid index"
    assert "the offset of this buffer access, in bytes, is negative" in finding.text
