"""Arguments that kernels reject."""

import numpy as np
import pytest

import hocket


@hocket.jit
def kernel(x, n=0):
    pass


NUMBERS = np.arange(4.0, dtype=np.float32)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            [1.0] * 2560,
            "kernel(): `x` is a list, which kernels cannot take\n  hint: pass an array, such as numpy.array(x), or a "
            "tuple if the kernel unpacks it",
        ),
        (
            np.ma.array(NUMBERS, mask=[0, 1, 0, 0]),
            "argument `x` is a masked array: a kernel receives its data, but not its mask\n  hint: pass "
            "x.filled(0), or x.data and x.mask as two arrays",
        ),
        (
            NUMBERS.astype(np.complex64),
            "argument `x` has elements of type complex64, which kernels do not support\n  hint: convert it, as with "
            "x.astype('float32')",
        ),
        (
            np.zeros(4, [("a", "f4")]),
            "argument `x` has elements of type [('a', '<f4')], which kernels do not support\n  hint: convert it, as "
            "with x.astype('float32')",
        ),
        (
            NUMBERS.astype(">f4"),
            "argument `x` is not in this machine's byte order\n  hint: pass x.astype(x.dtype.newbyteorder('='))",
        ),
        (
            {"x": NUMBERS},
            "kernel(): `x` is a dict, which kernels cannot take\n  hint: pass an array or a number, or annotate the "
            "parameter: x: gl.constexpr",
        ),
    ],
    ids=["list", "masked array", "complex", "structure", "big endian", "dict"],
)
def test_message(argument, message):
    with pytest.raises(hocket.LaunchError) as caught:
        kernel[(1,)](argument)
    assert str(caught.value) == message


def test_unknown_keyword():
    with pytest.raises(hocket.LaunchError) as caught:
        kernel[(1,)](NUMBERS, matrix_instr_nonkdim=16)
    assert str(caught.value) == (
        "kernel() has no parameter or launch option `matrix_instr_nonkdim`\n  parameters: x, n\n  options: num_warps, "
        "num_ctas, num_stages, warp_pipeline, stage_choice, maxnreg, enable_fp_fusion, keep_waits, skip_passes, debug, "
        "sanitize_overflow, waves_per_eu, launch_cooperative_grid, launch_pdl, profile, stream"
    )
