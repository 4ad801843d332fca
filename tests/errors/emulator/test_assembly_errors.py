"""Assembly of the user that the back end refuses is an error at the user's line; so is an index of gather outside."""

import pathlib
import subprocess
import sys

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
    assert text.splitlines()[0].endswith("error: the assembler rejects this inline assembly")
    assert 'gl.inline_asm_elementwise("rubbish $0, $1"' in text
    assert "said:  " in text and "instruction" in text
    assert text.endswith("hint:  check its instructions and the letters of its constraints for this GPU")


def test_unknown_constraint():
    with pytest.raises(errors.CompileError) as raised:
        _ = kernels.unknown_constraint.warmup(gl.float32, target="sm_90a").asm["ptx"]
    text = text_of(raised.value)
    assert text.splitlines()[0].endswith("error: the assembler rejects this inline assembly")
    assert "said:  LLVM cannot compile the kernel: couldn't allocate output register for constraint 'y'" in text


def test_ptx_that_the_assembler_refuses(tmp_path):
    """The facts of the kernel hold the line of its assembly: the PTX alone is assembled."""
    program = tmp_path / "bin" / "ptxas"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'kernel.ptx, line 30; error: unknown instruction: twist'\nexit 255\n")
    program.chmod(0o755)
    code = f"""
import refused_assembly as kernels
from hocket import _core, errors
from hocket import language as gl

kernel = kernels.unknown_ptx.warmup(gl.float32, target="sm_90a")
ptx = kernel.asm["ptx"]
_core.set_cuda_toolchain([{str(tmp_path / "lib")!r}], 1)  # there is no nvJitLink for this version
try:
    _core.ptx_to_cubin(ptx, kernel.metadata)
except errors.CompileError as error:
    print(error)
"""
    folder = pathlib.Path(kernels.__file__).parent
    shown = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True).stdout
    line = _TEXTS.place_of('"twist $0, $1;"')[0]
    assert shown.splitlines()[0].partition("refused_assembly.py")[2].startswith(f":{line}:")
    assert shown.splitlines()[0].endswith("error: the assembler rejects this inline assembly")
    assert "said:  kernel.ptx, line 30; error: unknown instruction: twist" in shown


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
