"""Mistakes with hocket.kernels.norms, and their messages."""

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import norms


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


X, WEIGHT, ROW = ones(4, 64), ones(64), ones(4)


def overlapping():
    return np.lib.stride_tricks.as_strided(np.zeros(256, np.float32), (4, 64), (128, 4))


def read_only():
    array = ones(4, 64)
    array.flags.writeable = False
    return array


#: Function to call, and the message.
MISTAKES = {
    "not an array": (
        lambda: norms.rms_norm([1.0, 2.0], WEIGHT),
        "rms_norm: x is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "integers": (
        lambda: norms.rms_norm(ones(4, 64, dtype=np.int32), WEIGHT),
        "rms_norm: elements are float32, float16, bfloat16, not int32\n"
        "  hint: convert x first; sums are in float32 whatever the elements are",
    ),
    "a scalar": (lambda: norms.rms_norm(np.float32(1).reshape(())), "rms_norm: x needs rows, but is a scalar"),
    "no rows": (
        lambda: norms.rms_norm(ones(0, 64), WEIGHT),
        "rms_norm: x needs at least one row, but its shape is [0, 64]",
    ),
    "no columns": (
        lambda: norms.layer_norm(ones(4, 0)),
        "layer_norm: x needs at least one column, but its shape is [4, 0]",
    ),
    "too many columns": (
        lambda: norms.rms_norm(ones(1, 65537)),
        "rms_norm: rows have at most 65536 columns, but x has 65537",
    ),
    "a weight of another size": (
        lambda: norms.rms_norm(X, ones(32)),
        "rms_norm: weight must have one element per column of x, shape [64], not [32]",
    ),
    "a weight of integers": (
        lambda: norms.rms_norm(X, ones(64, dtype=np.int64)),
        "rms_norm: elements of weight are float32, float16, bfloat16, not int64",
    ),
    "a weight with gaps": (
        lambda: norms.rms_norm(X, ones(128)[::2]),
        "rms_norm: weight must be contiguous, but its stride is 2\n  hint: pass a contiguous copy of weight",
    ),
    "a bias of another size": (
        lambda: norms.layer_norm(X, WEIGHT, ones(65)),
        "layer_norm: bias must have one element per column of x, shape [64], not [65]",
    ),
    "an eps that is a text": (
        lambda: norms.rms_norm(X, WEIGHT, "1e-6"),
        "rms_norm: eps must be a number from 0 on, not '1e-6'",
    ),
    "no eps": (lambda: norms.layer_norm(X, WEIGHT, eps=None), "layer_norm: eps must be a number from 0 on, not None"),
    "a negative eps": (
        lambda: norms.rms_norm(X, WEIGHT, -1e-6),
        "rms_norm: eps must be a number from 0 on, not -1e-06",
    ),
    "an eps that is not a number": (
        lambda: norms.rms_norm(X, WEIGHT, float("nan")),
        "rms_norm: eps must be a number from 0 on, not nan",
    ),
    "a result that is read-only": (
        lambda: norms.rms_norm(X, WEIGHT, out=read_only()),
        "rms_norm: out is read-only\n  hint: pass an array that may be written, or None",
    ),
    "an offset of the weight that is a text": (
        lambda: norms.rms_norm(X, WEIGHT, weight_offset="1"),
        "rms_norm: weight_offset must be a number, not '1'",
    ),
    "an offset without a weight": (
        lambda: norms.layer_norm_backward(X, X, None, ROW, ROW, weight_offset=1),
        "layer_norm_backward: weight_offset is added to the weight, but there is no weight",
    ),
    "columns apart": (
        lambda: norms.rms_norm(ones(64, 4).T, WEIGHT),
        "rms_norm: the elements of a row must be contiguous, but x has strides [1, 4]\n"
        "  hint: pass a contiguous copy of x",
    ),
    "rows at different distances": (
        lambda: norms.rms_norm(ones(3, 4, 64)[:, :3], WEIGHT),
        "rms_norm: all rows must be equally spaced in memory, but x of shape [3, 3, 64] has strides [256, 64, 1]\n"
        "  hint: pass a contiguous copy of x",
    ),
    "rows backwards": (
        lambda: norms.rms_norm(X[::-1], WEIGHT),
        "rms_norm: rows must be ascending in memory, but x has strides [-64, 1]\n  hint: pass a contiguous copy of x",
    ),
    "a result whose rows overlap": (
        lambda: norms.rms_norm(X, WEIGHT, out=overlapping()),
        "rms_norm: rows of out overlap in memory: strides [32, 1]\n  hint: pass a contiguous array as out",
    ),
    "a gradient of another shape": (
        lambda: norms.rms_norm_backward(ones(3, 64), X, WEIGHT, ROW),
        "rms_norm_backward: dy must have the shape of x, [4, 64], not [3, 64]",
    ),
    "a gradient of another dtype": (
        lambda: norms.rms_norm_backward(X.astype(ml_dtypes.bfloat16), X, WEIGHT, ROW),
        "rms_norm_backward: dy must have the dtype of x, float32, not bfloat16",
    ),
    "a residual of another shape": (
        lambda: norms.rms_norm(X, WEIGHT, residual=ones(4, 32)),
        "rms_norm: residual must have the shape of x, [4, 64], not [4, 32]",
    ),
    "statistics of another dtype": (
        lambda: norms.rms_norm_backward(X, X, WEIGHT, ROW.astype(np.float16)),
        "rms_norm_backward: rstd must be float32, not float16\n  hint: pass what the forward pass returned",
    ),
    "too few statistics": (
        lambda: norms.layer_norm_backward(X, X, WEIGHT, ones(3), ROW),
        "layer_norm_backward: mean must have one element per row of x, 4, not [3]",
    ),
    "statistics at different distances": (
        lambda: norms.rms_norm_backward(X.reshape(2, 2, 64), X.reshape(2, 2, 64), WEIGHT, ones(2, 3)[:, :2]),
        "rms_norm_backward: elements of rstd must be equally spaced in memory, but its strides are [3, 1]\n"
        "  hint: pass a contiguous copy of rstd",
    ),
    "statistics backwards": (
        lambda: norms.rms_norm_backward(X, X, WEIGHT, ROW[::-1]),
        "rms_norm_backward: elements of rstd must be ascending in memory, but its strides are [-1]\n"
        "  hint: pass a contiguous copy of rstd",
    ),
    "no statistics": (
        lambda: norms.layer_norm_backward(X, X, WEIGHT, None, ROW),
        "layer_norm_backward: mean is a NoneType, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "a schedule that there is not": (
        lambda: norms.rms_norm(X, WEIGHT, schedule="persistent"),
        "norms: schedule is one of multi-wave, warp-specialized, cluster, staged, streaming, not 'persistent'",
    ),
    "a schedule of gradients": (
        lambda: norms.rms_norm(X, WEIGHT, schedule="warp-specialized"),
        "rms_norm: no warp-specialized plan for 4 x 64 float32 on sm_90a: several blocks of the staged "
        "variant fit on an SM, and hide the latency of each other\n"
        "  hint: leave schedule out, or take one of multi-wave, staged, streaming",
    ),
    "clusters forward": (
        lambda: norms.choose(4096, 32768, "bfloat16", "rms_norm", schedule="cluster"),
        "rms_norm: no cluster plan for 4096 x 32768 bfloat16 on sm_90a: several blocks of the "
        "staged variant fit on an SM, and hide the latency of each other\n"
        "  hint: leave schedule out, or take one of multi-wave, staged, streaming",
    ),
    "a schedule that does not fit": (
        lambda: norms.choose(4096, 65536, "bfloat16", "layer_norm_backward", schedule="multi-wave"),
        "layer_norm_backward: no multi-wave plan for 4096 x 65536 bfloat16 on sm_90a: a row of 65536 columns does not "
        "fit into registers and shared memory of an SM\n"
        "  hint: leave schedule out, or take one of cluster, streaming",
    ),
    "rows that TMA cannot copy": (
        lambda: norms.choose(4096, 1000, "bfloat16", "rms_norm_backward", schedule="warp-specialized"),
        "rms_norm_backward: no warp-specialized plan for 4096 x 1000 bfloat16 on sm_90a: TMA would copy 1000 columns "
        "in boxes of 16 bytes, which is slow; boxes of at least 128 bytes are fast\n"
        "  hint: leave schedule out, or take one of multi-wave, streaming",
    ),
    "a schedule of another GPU": (
        lambda: norms.choose(4096, 1024, "float16", "rms_norm_backward", "gfx942", schedule="warp-specialized"),
        "rms_norm_backward: no warp-specialized plan for 4096 x 1024 float16 on gfx942: gfx942 has no TMA\n"
        "  hint: leave schedule out, or take one of multi-wave, streaming",
    ),
    "a schedule that copies by 16 bytes": (
        lambda: norms.choose(4096, 1024, "float16", "rms_norm", "gfx942", schedule="staged"),
        "rms_norm: no staged plan for 4096 x 1024 float16 on gfx942: gfx942 copies only 4 bytes per lane straight "
        "into shared memory, which takes longer than through registers\n"
        "  hint: leave schedule out, or take one of multi-wave, streaming",
    ),
    "columns that are not copied by 16 bytes": (
        lambda: norms.choose(4096, 1000, "float16", "rms_norm", schedule="staged"),
        "rms_norm: no staged plan for 4096 x 1000 float16 on sm_90a: rows must begin at multiples of 16 bytes, "
        "and have a multiple of 16 columns\n  hint: leave schedule out, or take one of multi-wave, streaming",
    ),
    "an operation that there is not": (
        lambda: norms.choose(1, 1, "float32", "batch_norm"),
        "norms: op is one of rms_norm, layer_norm, rms_norm_backward, layer_norm_backward, not 'batch_norm'",
    ),
    "a policy that there is not": (
        lambda: norms.choose(1, 1, "float32", "rms_norm", policy="fastest"),
        "norms: policy is one of hocket, nvfuser, not 'fastest'",
    ),
    "a target that there is not": (
        lambda: norms.choose(1, 1, "float32", "rms_norm", "sm_120"),
        "rms_norm has no kernel for sm_120 yet; it is written for sm_80, sm_90a, gfx942, gfx950",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, message = MISTAKES[name]
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value) == message
