"""Mistakes with hocket.kernels.rowwise, and their messages."""

import ml_dtypes
import numpy as np
import pytest

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import rowwise


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


X, TARGETS = ones(4, 64), np.zeros(4, np.int64)
#: mean and rstd of two groups of two images.
GROUP_STATISTICS = ones(2, 2), ones(2, 2)

#: Function to call, and the message.
MISTAKES = {
    "not an array": (
        lambda: rowwise.softmax([1.0, 2.0]),
        "softmax: x is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "integers": (
        lambda: rowwise.softmax(ones(4, 64, dtype=np.int32)),
        "softmax: elements are float32, float16, bfloat16, not int32\n"
        "  hint: convert the array first; arithmetic is in float32 whatever the elements are",
    ),
    "no rows": (
        lambda: rowwise.log_softmax(ones(0, 64)),
        "log_softmax: there must be at least one row, but the shape is [0, 64]",
    ),
    "too many columns": (
        lambda: rowwise.choose(1, (1 << 18) + 1, "float32", "softmax"),
        "softmax: rows have at most 262144 columns, not 262145",
    ),
    "elements of a row apart": (
        lambda: rowwise.softmax(X.T),
        "softmax: the elements of a row must be contiguous, but x has strides [1, 64]\n"
        "  hint: pass a contiguous copy of x",
    ),
    "a gradient of another shape": (
        lambda: rowwise.softmax_backward(ones(3, 64), X),
        "softmax_backward: dy must have the shape of y, [4, 64], not [3, 64]",
    ),
    "a gradient of another dtype": (
        lambda: rowwise.softmax_backward(X.astype(ml_dtypes.bfloat16), X),
        "softmax_backward: dy must have the dtype of y, float32, not bfloat16",
    ),
    "a result of another shape": (
        lambda: rowwise.softmax(X, out=ones(4, 65)),
        "softmax: out must have the shape of x, [4, 64], not [4, 65]",
    ),
    "targets of another dtype": (
        lambda: rowwise.cross_entropy(X, ones(4)),
        "cross_entropy: targets must be int64 or int32, not float32\n  hint: pass class indices, not probabilities",
    ),
    "too few targets": (
        lambda: rowwise.cross_entropy(X, TARGETS[:3]),
        "cross_entropy: targets must have one element per row of logits, 4, not [3]",
    ),
    "a reduction that there is not": (
        lambda: rowwise.cross_entropy(X, TARGETS, reduction="max"),
        "cross_entropy: reduction is one of none, mean, sum, not 'max'",
    ),
    "too much smoothing": (
        lambda: rowwise.cross_entropy(X, TARGETS, label_smoothing=1.5),
        "cross_entropy: label_smoothing must be a number from 0 to 1, not 1.5",
    ),
    "an index that is none": (
        lambda: rowwise.cross_entropy(X, TARGETS, ignore_index=None),
        "cross_entropy: ignore_index must be an integer, not None",
    ),
    "a negative factor": (
        lambda: rowwise.cross_entropy(X, TARGETS, z_loss=-1),
        "cross_entropy: z_loss must be a number from 0 on, not -1",
    ),
    "statistics of another reduction": (
        lambda: rowwise.cross_entropy_backward(None, X, TARGETS, rowwise.LossStatistics(ones(4), None)),
        "cross_entropy_backward: statistics.count must be the number of rows not ignored if the loss is a mean, else "
        "None\n  hint: pass the reduction that was passed to cross_entropy",
    ),
    "a loss as statistics": (
        lambda: rowwise.cross_entropy_backward(None, X, TARGETS, 1.5),
        "cross_entropy_backward: statistics must be the LossStatistics that cross_entropy returned, not 1.5",
    ),
    "several gradients of a mean": (
        lambda: rowwise.cross_entropy_backward(
            ones(4), X, TARGETS, rowwise.LossStatistics(ones(4), ones(1).reshape(()))
        ),
        "cross_entropy_backward: gradient must be one float32, as the loss is, not float32 [4]",
    ),
    "gradients in place of logits of another dtype": (
        lambda: rowwise.cross_entropy_backward(
            None, X, TARGETS, rowwise.LossStatistics(ones(4), None), reduction="sum", out=X.astype(np.float16)
        ),
        "cross_entropy_backward: out must have the dtype of logits, float32, not float16",
    ),
    "another number of columns": (
        lambda: rowwise.swiglu(X, ones(4, 32)),
        "swiglu: up must have the shape of gate, [4, 64], not [4, 32]",
    ),
    "a form that there is not": (
        lambda: rowwise.geglu(X, X, approximate="erf"),
        "geglu: approximate is one of none, tanh, not 'erf'",
    ),
    "one array for two gradients": (
        lambda: rowwise.swiglu_backward(X, X, X, out=X),
        "swiglu_backward: out must be a pair of arrays, not ndarray",
    ),
    "gradients whose rows overlap": (
        lambda: rowwise.swiglu_backward(X, X, X, out=(X, np.broadcast_to(X[:1], (4, 64)))),
        "swiglu_backward: out is read-only\n  hint: pass an array that may be written, or None",
    ),
    "columns that no group divides": (
        lambda: rowwise.rms_norm_quantized(X, group=128),
        "rms_norm_quantized: columns must be a multiple of group, 128, but x has 64\n"
        "  hint: leave group out for one scale per row",
    ),
    "a group that there is not": (
        lambda: rowwise.layer_norm_quantized(X, group=64.0001),
        "layer_norm_quantized: group is None or one of 32, 64, 128, 256, not 64.0001",
    ),
    "a weight of another size": (
        lambda: rowwise.rms_norm_quantized(X, ones(32)),
        "rms_norm_quantized: weight must have one element per column of x, shape [64], not [32]",
    ),
    "a fact of norms": (
        lambda: rowwise.choose(1, 64, "float32", "softmax", has_weight=True),
        "rowwise.choose: softmax has no fact has_weight; its facts are none",
    ),
    "groups that do not divide channels": (
        lambda: rowwise.group_norm(X, 3),
        "group_norm: groups must divide the number of channels, 64, but groups is 3",
    ),
    "channels last": (
        lambda: rowwise.group_norm(ones(2, 4, 8).swapaxes(1, 2), 2),
        "group_norm: x must be contiguous, channels before all other dimensions, but has strides [32, 1, 8]\n"
        "  hint: pass a contiguous copy of x",
    ),
    "no channels": (
        lambda: rowwise.group_norm(ones(4), 2),
        "group_norm: x must be [batch, channels, ...], not [4]",
    ),
    "a weight of another number of channels": (
        lambda: rowwise.group_norm(ones(2, 4, 8), 2, ones(8)),
        "group_norm: weight must have one element per channel of x, shape [4], not [8]",
    ),
    "a gradient of group norm of another shape": (
        lambda: rowwise.group_norm_backward(ones(2, 4, 9), ones(2, 4, 8), 2, None, *GROUP_STATISTICS),
        "group_norm_backward: dy must be float32 [2, 4, 8] as x is, not float32 [2, 4, 9]",
    ),
    "statistics of another number of groups": (
        lambda: rowwise.group_norm_backward(ones(2, 4, 8), ones(2, 4, 8), 4, None, *GROUP_STATISTICS),
        "group_norm_backward: mean must be float32 [2, 4], not float32 [2, 2]\n  hint: pass what group_norm returned",
    ),
    "statistics of groups apart": (
        lambda: rowwise.group_norm_backward(ones(2, 4, 8), ones(2, 4, 8), 2, None, ones(2, 2), ones(2, 4)[:, ::2]),
        "group_norm_backward: rstd must be contiguous, but has strides [4, 2]\n  hint: pass a contiguous copy of rstd",
    ),
    "a resident gradient of group norm": (
        lambda: rowwise.choose(64, 64, "float16", "group_norm_backward", schedule="multi-wave"),
        "group_norm_backward: no multi-wave plan for 64 x 64 float16 on sm_90a: a row is a channel, and its sums along "
        "groups need all channels of a group\n  hint: leave schedule out, or take split",
    ),
    "a variant of NVIDIA GPUs": (
        lambda: rowwise.choose(64, 8192, "float16", "softmax", "gfx950", schedule="staged"),
        "softmax: no staged plan for 64 x 8192 float16 on gfx950: on CDNA, the variant would keep rows in registers, "
        "as multi-wave does\n  hint: leave schedule out, or take multi-wave or streaming",
    ),
    "a staged loss": (
        lambda: rowwise.choose(64, 8192, "float16", "cross_entropy", schedule="staged"),
        "cross_entropy: no staged plan for 64 x 8192 float16 on sm_90a: only softmax, log_softmax and their gradients "
        "have this variant\n  hint: leave schedule out, or take multi-wave or streaming",
    ),
    "a ring buffer for rows of several blocks": (
        lambda: rowwise.choose(64, 32768, "float16", "softmax", schedule="warp-specialized"),
        "softmax: no warp-specialized plan for 64 x 32768 float16 on sm_90a: several blocks of the staged variant fit "
        "on an SM, and hide the latency of each other\n"
        "  hint: leave schedule out, or take multi-wave or streaming or staged",
    ),
    "a ring buffer that is too small": (
        lambda: rowwise.choose(64, 1 << 17, "float16", "softmax", schedule="warp-specialized"),
        "softmax: no warp-specialized plan for 64 x 131072 float16 on sm_90a: a row of 131072 columns does not fit "
        "into shared memory\n  hint: leave schedule out, or take streaming",
    ),
    "a row that is too short for tiles": (
        lambda: rowwise.choose(64, 64, "float16", "softmax", schedule="staged"),
        "softmax: no staged plan for 64 x 64 float16 on sm_90a: a row of 64 columns is too short for several tiles, or "
        "does not fit into shared memory\n  hint: leave schedule out, or take multi-wave or streaming",
    ),
    "a variant of group norm": (
        lambda: rowwise.softmax(X, schedule="split"),
        "softmax: no split plan for 4 x 64 float32 on sm_90a: only group norm has this variant\n"
        "  hint: leave schedule out, or take multi-wave or streaming",
    ),
    "an operation that there is not": (
        lambda: rowwise.choose(1, 1, "float32", "sparsemax"),
        "rowwise: op is one of softmax, log_softmax, softmax_backward, log_softmax_backward, cross_entropy, "
        "cross_entropy_backward, swiglu, swiglu_backward, geglu, geglu_backward, "
        "group_norm, group_norm_backward, rms_norm_quantized, layer_norm_quantized, not 'sparsemax'",
    ),
    "a schedule that there is not": (
        lambda: rowwise.softmax(X, schedule="cluster"),
        "rowwise: schedule is one of multi-wave, warp-specialized, staged, streaming, elementwise, split, "
        "not 'cluster'",
    ),
    "a schedule that does not fit": (
        lambda: rowwise.choose(8, 1 << 17, "bfloat16", "softmax", schedule="multi-wave"),
        "softmax: no multi-wave plan for 8 x 131072 bfloat16 on sm_90a: a row of 131072 columns does not fit into the "
        "registers of an SM\n  hint: leave schedule out, or take streaming",
    ),
    "a schedule of whole rows": (
        lambda: rowwise.choose(8, 64, "bfloat16", "cross_entropy_backward", schedule="streaming"),
        "cross_entropy_backward: no streaming plan for 8 x 64 bfloat16 on sm_90a: its elements are independent, so it "
        "needs no whole rows\n  hint: leave schedule out, or take elementwise",
    ),
    "a flag that is text": (
        lambda: rowwise.choose(1, 64, "float32", "softmax", is_aligned="no"),
        "rowwise.choose: is_aligned must be True or False, not 'no'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, message = MISTAKES[name]
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value) == message
