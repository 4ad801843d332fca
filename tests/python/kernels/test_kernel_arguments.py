"""Arguments that the ready kernels cannot take are LaunchErrors that say why."""

import re

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket.errors import LaunchError
from hocket.kernels import attention, attention_varlen, matmul, shuffle_scales
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile
from hocket.kernels.norms import rms_norm


@pytest.fixture(autouse=True)
def _on_gfx950():
    with hocket.emulator.target("gfx950"):
        yield


def zeros(*shape, dtype=np.float16):
    return np.zeros(shape, dtype)


MATMUL = {
    "inner sizes": (
        lambda: matmul(zeros(4, 8), zeros(9, 4)),
        "matmul: a is 4 x 8 and b is 9 x 4; the inner sizes must be equal",
    ),
    "rank": (
        lambda: matmul(zeros(4, 8, 2, 1), zeros(8, 4)),
        "matmul: a must be a matrix, or a batch of matrices, but its shape is [4, 8, 2, 1]",
    ),
    "empty result": (
        lambda: matmul(zeros(4, 8), zeros(8, 0), zeros(4, 1)),
        "matmul: out must be 4 x 0, but its shape is [4, 1]",
    ),
    "dtype": (
        lambda: matmul(zeros(4, 8, dtype=np.float64), zeros(8, 4, dtype=np.float64)),
        "matmul on gfx950 multiplies float16, bfloat16, float8_e4m3fn, float8_e5m2, not float64",
    ),
    "float8 of another chip": (
        lambda: matmul(zeros(4, 8, dtype=ml_dtypes.float8_e4m3fnuz), zeros(8, 4, dtype=ml_dtypes.float8_e4m3fnuz)),
        "matmul on gfx950 multiplies float16, bfloat16, float8_e4m3fn, float8_e5m2, not float8_e4m3fnuz",
    ),
    "mixed dtypes": (
        lambda: matmul(zeros(4, 8), zeros(8, 4, dtype=ml_dtypes.bfloat16)),
        "matmul: a is float16 and b is bfloat16; they must be of one dtype",
    ),
    "strides": (
        lambda: matmul(zeros(8, 16)[::2, ::2], zeros(8, 4)),
        "matmul: a dimension of a must be contiguous, but its strides are [32, 2]; copy a",
    ),
    "out": (
        lambda: matmul(zeros(4, 8), zeros(8, 4), zeros(4, 5)),
        "matmul: out must be 4 x 4, but its shape is [4, 5]",
    ),
    "batches": (
        lambda: matmul(zeros(2, 4, 8), zeros(3, 8, 4)),
        "matmul: a is a batch of 2 and b of 3; they must be equal",
    ),
    "shares": (
        lambda: matmul(
            zeros(64, 512), zeros(512, 64), plan=CdnaPlan(Tile(64, 64, 2, 2), 64, False, 1, False, splits=7)
        ),
        "matmul: K = 512 cannot be divided into 7 splits of k-tiles of 64",
    ),
    "bias": (
        lambda: matmul(zeros(4, 8), zeros(8, 4), bias=zeros(8)[::2]),
        "matmul: bias must be contiguous, of shape [4], a number per column of the result, but its shape is [4] and "
        "its strides are [2]",
    ),
    "dtype of the bias": (
        lambda: matmul(zeros(4, 8), zeros(8, 4), bias=zeros(4, dtype=np.int32)),
        "matmul: bias must be float32, float16 or bfloat16, not int32",
    ),
    "activation": (
        lambda: matmul(zeros(4, 8), zeros(8, 4), activation="tanh"),
        "matmul: activation must be None, relu, gelu_tanh, silu, not 'tanh'",
    ),
    "list": (
        lambda: matmul([[1.0] * 8] * 4, zeros(8, 4)),
        "matmul: a is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "out is a list": (
        lambda: matmul(zeros(4, 8), zeros(8, 4), [0.0]),
        "matmul: out is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "masked array": (
        lambda: matmul(zeros(4, 8), np.ma.array(zeros(8, 4))),
        "matmul: b is a masked array, whose mask would be ignored\n  hint: fill it first: array.filled(0)",
    ),
}

ATTENTION = {
    "rank": (
        lambda: attention(zeros(4, 64), zeros(4, 64), zeros(4, 64)),
        "attention: q must be [batch, heads, sequence, D] with elements, not [4, 64]",
    ),
    "dtype": (
        lambda: attention(*[zeros(1, 1, 4, 64, dtype=np.float32)] * 3),
        "attention: q is float32; it must be float16 or bfloat16",
    ),
    "mixed dtypes": (
        lambda: attention(*[zeros(1, 1, 4, 64)] * 2, zeros(1, 1, 4, 64, dtype=ml_dtypes.bfloat16)),
        "attention: q is float16 and v is bfloat16; they must be of one dtype",
    ),
    "keys and values": (
        lambda: attention(zeros(1, 1, 4, 64), zeros(1, 1, 4, 64), zeros(1, 1, 5, 64)),
        "attention: k and v must have one shape, but have [1, 1, 4, 64] and [1, 1, 5, 64]",
    ),
    "batch": (
        lambda: attention(zeros(2, 1, 4, 64), *[zeros(1, 1, 4, 64)] * 2),
        "attention: batch and D of q and k must be equal, but the shapes are [2, 1, 4, 64] and [1, 1, 4, 64]",
    ),
    "heads": (
        lambda: attention(zeros(1, 3, 4, 64), *[zeros(1, 2, 4, 64)] * 2),
        "attention: q has 3 heads, which must be a multiple of the 2 heads of k and v",
    ),
    "head size": (
        lambda: attention(*[zeros(1, 1, 4, 96)] * 3),
        "attention: D must be 64 or 128, not 96",
    ),
    "out": (
        lambda: attention(*[zeros(1, 1, 4, 64)] * 3, zeros(1, 1, 5, 64)),
        "attention: out must have the shape of q, [1, 1, 4, 64], not [1, 1, 5, 64]",
    ),
    "list": (
        lambda: attention(zeros(1, 1, 4, 64), [1.0], zeros(1, 1, 4, 64)),
        "attention: k is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
}


#: Arguments that would be misinterpreted, or would fail inside the kernel's host code.
SCALARS = {
    "a text as a flag": (
        lambda: attention(*[zeros(1, 1, 4, 64)] * 3, causal="no"),
        "attention: causal must be True or False, not 'no'",
    ),
    "a text as scale": (
        lambda: attention(*[zeros(1, 1, 4, 64)] * 3, scale="0.1"),
        "attention: scale must be a number or None, not '0.1'",
    ),
    "three of four sizes": (
        lambda: attention.explain((1, 8, 128), "gfx950"),
        "attention.explain: shape must be (batch, heads, sequence, head size), all positive, not (1, 8, 128)",
    ),
    "negative sizes": (
        lambda: matmul.explain((64, -64, 64), "float16", "gfx950"),
        "matmul.explain: shape must be (M, N, K), all positive, not (64, -64, 64)",
    ),
    "a dtype that is none": (
        lambda: matmul(zeros(16, 16), zeros(16, 16), out_dtype="fp16"),
        "matmul: out_dtype is one of float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, not 'fp16'\n"
        '  hint: write "float16"',
    ),
    "a text as plan": (
        lambda: matmul(zeros(16, 16), zeros(16, 16), plan="large"),
        "matmul: plan must be a hocket.kernels.plans.CdnaPlan on this target, not 'large'",
    ),
    "scales as a list": (
        lambda: shuffle_scales([[127] * 8] * 32),
        "shuffle_scales: scales is a list, not an array\n  hint: pass a NumPy array or a PyTorch tensor",
    ),
    "an array of offsets": (
        lambda: rms_norm(zeros(4, 64), zeros(64), weight_offset=np.ones(2)),
        "rms_norm: weight_offset must be a number, not array([1., 1.])",
    ),
    "no longest sequence": (
        lambda: varlen(None),
        "attention_varlen: max_seqlen_q must be the number of queries of the longest sequence, not None",
    ),
    "a negative longest sequence": (
        lambda: varlen(-1),
        "attention_varlen: max_seqlen_q must be the number of queries of the longest sequence, not -1",
    ),
    "a longest sequence of 7.5": (
        lambda: varlen(7.5),
        "attention_varlen: max_seqlen_q must be the number of queries of the longest sequence, not 7.5",
    ),
    "a text as scale of sequences": (
        lambda: varlen(7, scale="0.1"),
        "attention_varlen: scale must be a number or None, not '0.1'",
    ),
}


def varlen(longest, **options):
    starts = np.array([0, 5, 12], np.int32)
    return attention_varlen(*[zeros(12, 2, 64)] * 3, starts, starts, longest, **options)


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
    run, message = SCALARS[name]
    with pytest.raises(LaunchError, match=f"^{re.escape(message)}$"):
        run()


def test_a_plan_of_another_target():
    message = (
        "matmul: plan must be a hocket.kernels.plans.HopperPlan or a "
        "hocket.kernels.plans.AmperePlan or a hocket.kernels.plans.FewRowsPlan on this target, not CdnaPlan("
    )
    plan = CdnaPlan(Tile(64, 64, 2, 2), 64, False, 1, False)
    with hocket.emulator.target("sm_90a"), pytest.raises(LaunchError, match=f"^{re.escape(message)}"):
        matmul(zeros(64, 64), zeros(64, 64), plan=plan)


@pytest.mark.parametrize("name", MATMUL)
def test_matmul(name):
    run, message = MATMUL[name]
    with pytest.raises(LaunchError, match=f"^{re.escape(message)}$"):
        run()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("sm_80", "matmul on sm_80 multiplies float16, bfloat16, float32, not float8_e4m3fn"),
        ("sm_90a", "matmul on sm_90a multiplies float16, bfloat16, float32, float8_e4m3fn, float8_e5m2, not int8"),
    ],
)
def test_dtypes_of_nvidia(target, message):
    dtype = ml_dtypes.float8_e4m3fn if target == "sm_80" else np.int8
    with hocket.emulator.target(target), pytest.raises(LaunchError, match=f"^{re.escape(message)}$"):
        matmul(zeros(16, 16, dtype=dtype), zeros(16, 16, dtype=dtype))


@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name):
    run, message = ATTENTION[name]
    with pytest.raises(LaunchError, match=f"^{re.escape(message)}$"):
        run()


ATTENTION_ON_HOPPER = {
    "strides": (
        lambda: attention(zeros(1, 1, 4, 65)[..., 1:], *[zeros(1, 1, 4, 64)] * 2),
        "attention on sm_90a needs rows of contiguous elements at multiples of 16 bytes (TMA), but the strides of q "
        "are [260, 260, 65, 1]\n  hint: pass a contiguous copy",
    ),
    "scale": (
        lambda: attention(*[zeros(1, 1, 4, 64)] * 3, scale=-1),
        "attention: scale must not be negative on sm_90a\n  hint: negate q, and pass the absolute value of the scale",
    ),
}


@pytest.mark.parametrize("name", ATTENTION_ON_HOPPER)
def test_attention_on_hopper(name):
    run, message = ATTENTION_ON_HOPPER[name]
    with hocket.emulator.target("sm_90a"), pytest.raises(LaunchError, match=f"^{re.escape(message)}$"):
        run()


def test_logarithms_are_for_hopper():
    with (
        hocket.emulator.target("gfx950"),
        pytest.raises(LaunchError, match="return_lse is not supported for gfx950 yet"),
    ):
        attention(*[zeros(1, 1, 4, 64)] * 3, return_lse=True)


def test_no_attention_for_ampere_yet():
    with hocket.emulator.target("sm_80"):
        with pytest.raises(LaunchError, match="attention has no kernel for sm_80 yet"):
            attention(*[zeros(1, 1, 4, 64)] * 3)
