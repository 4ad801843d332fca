"""hocket.kernels.attention_varlen on Hopper against NumPy: lengths, neighbors in memory, mistakes."""

import numpy as np
import pytest
from attention_reference import check_packed, forms_of, packed_inputs, run_varlen

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import attention, attention_varlen
from hocket.kernels._attention import host_varlen
from hocket.kernels._attention.split_kv import TileSplits
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")

#: (queries, keys) of each sequence: without queries, without keys, without either, one token, at and past the ends of
#: blocks of 64 and 128, and with fewer keys than queries.
SEQUENCES = ((70, 70), (2, 30), (0, 3), (1, 129), (64, 128), (3, 5), (20, 0), (0, 0), (1, 1), (129, 40))
#: Number of the sequence that is NaN, and of the one that is infinity. Their neighbors end inside blocks.
NAN, INFINITY = 1, 5


@pytest.fixture(autouse=True)
def whole_tiles(monkeypatch):
    """Divides no tile: `test_varlen_plans_hopper` tests splits."""
    monkeypatch.setattr(host_varlen, "_launches", LaunchCache(host_varlen._launches.prepare))
    for kernel in ("host_nvidia", "host_varlen_nvidia"):
        monkeypatch.setattr(f"hocket.kernels._attention.{kernel}.choose_splits", lambda tiles, *_: TileSplits(tiles, 1))


#: Head size and mask in the emulator.
FORMS = ((64, True), (128, False))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_sequences_of_all_lengths_beside_nan(hopper_device, form):
    for head_size, causal in forms_of(hopper_device, [form]):
        arrays, starts = packed_inputs(SEQUENCES, 2, 1, head_size)
        for array, ends in zip(arrays, (starts[0], starts[1], starts[1]), strict=True):
            array[ends[NAN] : ends[NAN + 1]] = np.nan
            array[ends[INFINITY] : ends[INFINITY + 1]] = np.inf
        result, logarithms = run_varlen(hopper_device, arrays, starts, causal=causal)
        check_packed(result, logarithms, arrays, starts, causal, skipped=(NAN, INFINITY))
        assert np.isnan(result[starts[0][NAN] : starts[0][NAN + 1]].astype(np.float32)).all()


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_random_lengths(hopper_device, form):
    rng = np.random.default_rng(7)
    for head_size, causal in forms_of(hopper_device, [form]):
        sequences = rng.integers(0, 700, (20, 2)) if hopper_device.is_gpu else rng.integers(0, 170, (4, 2))
        arrays, starts = packed_inputs(sequences.tolist(), 2, 1, head_size)
        check_packed(*run_varlen(hopper_device, arrays, starts, causal=causal), arrays, starts, causal)


def test_one_sequence_is_attention(hopper_device):
    """Results are equal to the last bit."""
    arrays, starts = packed_inputs([(130, 200), (0, 0)], 2, 1, 128)
    result, logarithms = run_varlen(hopper_device, arrays, starts)
    swapped = [hopper_device.to_device(x).swapaxes(0, 1)[None] for x in arrays]
    whole, sums = (hopper_device.to_host(x) for x in attention(*swapped, return_lse=True))
    assert np.array_equal(result, whole[0].swapaxes(0, 1))
    np.testing.assert_allclose(logarithms, sums[0], rtol=1e-6)


def test_arrays_between_others_in_memory(hopper_device):
    """q, k and v are parts of one array, and the result is a part of another, which is unchanged elsewhere."""
    arrays, starts = packed_inputs(((97, 97), (3, 3)), 2, 1, 64)
    together = hopper_device.to_device(np.concatenate(arrays, axis=1))
    out = hopper_device.to_device(np.full((107, 4, 64), 5, np.float16))
    begins = [hopper_device.to_device(x) for x in starts]
    parts = together[:, :2], together[:, 2:3], together[:, 3:]
    attention_varlen(*parts, *begins, 97, 97, out[3:103, 1:3], causal=True, return_lse=True)
    out = hopper_device.to_host(out)
    check_packed(out[3:103, 1:3], None, arrays, starts, True)
    out[3:103, 1:3] = 5
    assert (out == 5).all()


def test_longest_lengths_are_only_a_hint_for_keys(hopper_device):
    arrays, starts = packed_inputs(((97, 140), (2, 20)), 2, 1, 64)
    check_packed(*run_varlen(hopper_device, arrays, starts, 100, 1, causal=True), arrays, starts, True)
    check_packed(*run_varlen(hopper_device, arrays, starts, 97, None, causal=True), arrays, starts, True)


def test_nothing_to_do(hopper_device):
    arrays, starts = packed_inputs([(3, 0), (2, 0)], 1, 1, 64)
    result, logarithms = run_varlen(hopper_device, arrays, starts)
    assert (result == 0).all() and (logarithms == -np.inf).all() and logarithms.shape == (1, 5)


def test_mistakes_on_hopper():
    arrays, starts = packed_inputs([(5, 6), (7, 8)], 2, 1, 64)
    with emulator.target("sm_90a"):
        with pytest.raises(LaunchError, match="attention_varlen: scale must not be negative on sm_90a"):
            attention_varlen(*arrays, *starts, 7, scale=-1.0)
        with pytest.raises(LaunchError, match="attention_varlen: out is float32; on sm_90a, it must have the dtype of"):
            attention_varlen(*arrays, *starts, 7, 8, np.zeros((12, 2, 64), np.float32))
        with pytest.raises(LaunchError, match="attention_varlen: k and v must have one shape"):
            attention_varlen(arrays[0], arrays[1][:0], arrays[2], *starts, 7)
        with pytest.raises(LaunchError, match="attention_varlen on sm_90a needs rows of contiguous elements at"):
            attention_varlen(arrays[0][:, :, ::-1], *arrays[1:], *starts, 7)
        with pytest.raises(
            LaunchError, match="max_seqlen_k must be the number of keys of the longest sequence, not -1"
        ):
            attention_varlen(*arrays, *starts, 7, -1)
        shifted = np.zeros(arrays[1].size + 4, np.float16)[4:].reshape(arrays[1].shape)
        attention_varlen(*arrays, *starts, 7)
        with pytest.raises(LaunchError) as caught:
            attention_varlen(arrays[0], shifted, arrays[2], *starts, 7)
    assert str(caught.value) == (
        "attention_varlen on sm_90a needs arrays at multiples of 16 bytes (TMA), but k begins 8 bytes after one\n"
        "  hint: pass a copy"
    )
