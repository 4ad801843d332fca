"""Assembly of the user that the back end refuses is an error at the user's line; so is an index of gather outside."""

import numpy as np
import pytest
import refused_assembly as kernels
import texts

import hocket
from hocket import errors
from hocket import language as gl

_TEXTS = texts.TextsOf(kernels)
text_of, expected = _TEXTS.text_of, _TEXTS.expected


def test_unknown_instruction():
    with pytest.raises(errors.CompileError) as raised:
        _ = kernels.unknown_instruction.warmup(gl.float32, target="gfx950").asm["hsaco"]
    text = text_of(raised.value)
    assert text.splitlines()[0].endswith("error: the assembler refuses a kernel with this assembly")
    assert 'gl.inline_asm_elementwise("rubbish $0, $1"' in text
    assert "said:  " in text and "instruction" in text
    assert text.endswith("hint:  check its instructions and the letters of its constraints for this GPU")


def test_unknown_constraint():
    with pytest.raises(errors.CompileError) as raised:
        _ = kernels.unknown_constraint.warmup(gl.float32, target="sm_90a").asm["ptx"]
    text = text_of(raised.value)
    assert text.splitlines()[0].endswith("error: the assembler refuses a kernel with this assembly")
    assert "said:  LLVM cannot compile the kernel: couldn't allocate output register for constraint 'y'" in text


@pytest.mark.parametrize(("target", "warp", "lane"), [("sm_90a", 3, 31), ("gfx950", 3, 63)])
def test_index_of_gather_outside(target, warp, lane):
    x = np.zeros(256, np.float32)
    with hocket.emulator.target(target), pytest.raises(errors.DeviceAssertError) as raised:
        kernels.outside[(1,)](x, np.zeros_like(x))
    assert text_of(raised.value) == expected(
        "device assertion failed: an index of gather is outside 0..255",
        "gl.gather(gl.load(x + i), i + 1, 0)",
        f"at: block (0, 0, 0), warp {warp}, lane {lane}",
    )
