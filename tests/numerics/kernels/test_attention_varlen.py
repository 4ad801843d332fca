"""hocket.kernels.attention_varlen against NumPy, sequence by sequence, on emulated CDNA3 and CDNA4."""

import ml_dtypes
import numpy as np
import pytest
from attention_reference import reference

import hocket
from hocket.errors import LaunchError
from hocket.kernels import attention, attention_varlen

#: (queries, keys) of each sequence; some have none of either, and one has fewer keys than queries.
SEQUENCES = ((70, 70), (0, 30), (1, 200), (150, 140), (20, 0), (0, 0), (129, 300))


@pytest.fixture(params=["gfx942", "gfx950"], autouse=True)
def target(request):
    with hocket.emulator.target(request.param):
        yield request.param


def case(sequences, heads, key_heads, head_size, dtype="float16"):
    """q, k, v and the starts of queries and keys."""
    starts = [np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32) for lengths in zip(*sequences, strict=True)]
    rng, kind = np.random.default_rng(0), np.dtype(getattr(ml_dtypes, dtype, dtype))
    shapes = (starts[0][-1], heads, head_size), *[(starts[1][-1], key_heads, head_size)] * 2
    return [rng.standard_normal(shape).astype(kind) for shape in shapes], starts


def check(result, arrays, starts, causal):
    eps = float(ml_dtypes.finfo(result.dtype).eps)
    for i in range(len(starts[0]) - 1):
        rows, keys = (slice(ends[i], ends[i + 1]) for ends in starts)
        if rows.stop == rows.start:
            continue
        q, k, v = (array[part].swapaxes(0, 1)[None] for array, part in zip(arrays, (rows, keys, keys), strict=True))
        expected = reference(q, k, v, causal)[0][0].swapaxes(0, 1) if keys.stop > keys.start else np.zeros_like(q[0, 0])
        error = np.abs(result[rows].astype(np.float64) - (expected if keys.stop > keys.start else 0))
        assert (error <= 2 * eps * np.maximum(np.abs(expected).max(), 1)).all(), (i, error.max())


@pytest.mark.parametrize("pipelined", [False, True], ids=["plain", "pipelined"])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_sequences_of_all_lengths(head_size, causal, pipelined):
    arrays, starts = case(SEQUENCES, 2, 1, head_size)
    check(attention_varlen(*arrays, *starts, 150, causal=causal, pipelined=pipelined), arrays, starts, causal)


def test_bfloat16_with_shared_keys_into_an_array():
    arrays, starts = case(SEQUENCES[:4], 4, 2, 64, "bfloat16")
    out = np.zeros_like(arrays[0])
    assert attention_varlen(*arrays, *starts, 150, 200, out) is out
    check(out, arrays, starts, False)


@pytest.mark.parametrize("pipelined", [False, True], ids=["plain", "pipelined"])
def test_one_sequence_is_attention(pipelined):
    """To the last bit."""
    arrays, starts = case([(200, 330)], 2, 2, 64)
    whole = attention(*[array.swapaxes(0, 1)[None] for array in arrays], causal=True, pipelined=pipelined)
    result = attention_varlen(*arrays, *starts, 200, causal=True, pipelined=pipelined)
    assert np.array_equal(result, whole[0].swapaxes(0, 1))


def test_nothing_to_do():
    arrays, starts = case([(0, 5)], 1, 1, 64)
    assert attention_varlen(*arrays, *starts, 0).shape == (0, 1, 64)
    arrays, starts = case([(3, 0)], 1, 1, 64)
    assert (attention_varlen(*arrays, *starts, 3) == 0).all()


def test_explanation(target):
    lines = attention_varlen.explain((4, 8, 1000, 128), target).splitlines()
    assert lines[0] == f"{target}, 4 x 8 heads, 1000 queries of 128 elements"
    assert lines[-1] == "- blocks of queries beyond the end of a shorter sequence end at once"


ARRAYS, STARTS = case([(5, 6), (7, 8)], 2, 1, 64)

MISTAKES = {
    "rank": (
        lambda: attention_varlen(ARRAYS[0][None], *ARRAYS[1:], *STARTS, 7),
        "attention_varlen: q must be [rows, heads, D], not [1, 12, 2, 64]",
    ),
    "starts of 64 bits": (
        lambda: attention_varlen(*ARRAYS, STARTS[0].astype(np.int64), STARTS[1], 7),
        "attention_varlen: cu_seqlens_q must be contiguous int32 of [sequences + 1], but it is int64 of shape [3]",
    ),
    "as many sequences": (
        lambda: attention_varlen(*ARRAYS, STARTS[0], STARTS[1][:2], 7),
        "attention_varlen: cu_seqlens_q is of 2 sequences, cu_seqlens_k of 1",
    ),
    "out": (
        lambda: attention_varlen(*ARRAYS, *STARTS, 7, None, ARRAYS[1]),
        "attention_varlen: out must have the shape of q, [12, 2, 64], not [14, 1, 64]",
    ),
    "logarithms": (
        lambda: attention_varlen(*ARRAYS, *STARTS, 7, return_lse=True),
        "attention_varlen: return_lse is not supported for {target} yet; it is for sm_90a",
    ),
    "heads": (
        lambda: attention_varlen(ARRAYS[0][:, [0, 1, 1]], *[np.repeat(x, 2, 1) for x in ARRAYS[1:]], *STARTS, 7),
        "attention_varlen: q has 3 heads, which must be a multiple of the 2 heads of k and v",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(target, mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(LaunchError) as error:
        call()
    assert str(error.value) == message.replace("{target}", target)


def test_other_targets():
    with (
        hocket.emulator.target("sm_80"),
        pytest.raises(LaunchError, match="attention_varlen has no kernel for sm_80 yet"),
    ):
        attention_varlen(*ARRAYS, *STARTS, 7)
