"""Plans of hocket.kernels.attention_varlen on Hopper: packed heads, split keys, the work counter, schedules."""

import numpy as np
import pytest
from attention_reference import check_packed, forms_of, packed_inputs, run_varlen

from hocket import emulator
from hocket.kernels import attention_varlen
from hocket.kernels._attention import host_varlen
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")


@pytest.fixture(autouse=True)
def no_prepared_launches(monkeypatch):
    """Some tests change constants on which plans depend."""
    monkeypatch.setattr(host_varlen, "_launches", LaunchCache(host_varlen._launches.prepare))


def plan_for(monkeypatch, multiprocessors, counters):
    """Makes plans for some number of SMs, also on a GPU, and launches with the array `counters`."""
    monkeypatch.setattr("hocket.kernels._attention.host_varlen_nvidia.counters_for", lambda array: counters)
    monkeypatch.setattr("hocket.kernels._attention.host_varlen_nvidia.gpu_of", lambda array: None)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", multiprocessors)


#: Sequences, heads, heads of keys: heads that share keys share a tile if the queries of one head fill few rows. Head
#: size and mask in the emulator.
PACKED = (
    (((1, 300), (1, 1), (0, 7), (1, 129)), 8, 2, (64, False)),
    (((5, 40), (17, 130), (3, 2), (1, 0)), 4, 1, (128, True)),
)


@pytest.mark.parametrize("packed", PACKED, ids=str)
def test_heads_that_share_keys_share_tiles(hopper_device, packed):
    sequences, heads, key_heads, form = packed
    for head_size, causal in forms_of(hopper_device, [form]):
        arrays, starts = packed_inputs(sequences, heads, key_heads, head_size, "bfloat16")
        check_packed(*run_varlen(hopper_device, arrays, starts, causal=causal), arrays, starts, causal)


def test_keys_are_divided_among_ctas(hopper_device, monkeypatch):
    """Each launch leaves the counters at 0 for the next one, and has the same bits."""
    counters = hopper_device.to_device(np.zeros(16, np.int32))
    plan_for(monkeypatch, 6, counters)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.ADDING_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.START_BLOCKS", 0)
    for head_size, causal in forms_of(hopper_device, [(128, True)]):
        arrays, starts = packed_inputs(((2, 400), (7, 90), (3, 0)), 2, 1, head_size)
        first, second = (run_varlen(hopper_device, arrays, starts, causal=causal) for _ in range(2))
        check_packed(*first, arrays, starts, causal)
        assert np.array_equal(first[0], second[0])
        assert not hopper_device.to_host(counters).any()


def test_longer_sequences_do_not_leave_the_workspace(hopper_device, monkeypatch):
    """`max_seqlen_q` is smaller than a length. Queries of other sequences have their results."""
    plan_for(monkeypatch, 12, hopper_device.to_device(np.zeros(16, np.int32)))
    monkeypatch.setattr("hocket.kernels._attention.split_kv.ADDING_BLOCKS", 0)
    arrays, starts = packed_inputs(((300, 130), (3, 500)), 2, 1, 64)
    result, logarithms = run_varlen(hopper_device, arrays, starts, 5, 500)
    check_packed(result, logarithms, arrays, starts, skipped=(0,))


def test_ctas_take_tiles_from_a_counter(hopper_device, monkeypatch):
    """Each launch, also one of more than 32 sequences, leaves the counter at 0."""
    counter = hopper_device.to_device(np.zeros(1, np.int32))
    plan_for(monkeypatch, 2, counter)
    many = np.random.default_rng(1).integers(0, 3, (34, 2)).tolist()
    for head_size, causal in forms_of(hopper_device, [(64, True)]):
        for sequences in (((70, 70), (0, 30), (195, 129), (1, 128)), many):
            arrays, starts = packed_inputs(sequences, 2, 2, head_size, "bfloat16")
            check_packed(*run_varlen(hopper_device, arrays, starts, 200, causal=causal), arrays, starts, causal)
            assert hopper_device.to_host(counter) == [0]


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(monkeypatch, seed, completion):
    plan_for(monkeypatch, 2, np.zeros(1, np.int32))
    arrays, starts = packed_inputs(((150, 140), (1, 60), (0, 3), (70, 200)), 2, 2, 64, "bfloat16")
    with emulator.target("sm_90a"):
        expected = attention_varlen(*arrays, *starts, 200, causal=True, return_lse=True)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        results = attention_varlen(*arrays, *starts, 200, causal=True, return_lse=True)
    assert all(np.array_equal(*pair) for pair in zip(results, expected, strict=True))


def test_explanation():
    lines = attention_varlen.explain((2, 8, 1000, 128), "sm_90a").splitlines()
    assert lines[0] == "sm_90a, 2 x 8 heads, 1000 queries of 128 elements"
    assert lines[1].startswith("- at most 128 tiles of 128 queries, by one persistent block per SM")
    lines = attention_varlen.explain((64, 8, 1000, 64), "sm_90a").splitlines()
    assert lines[1] == "- at most 3072 tiles of 192 queries, each block takes its next tile from a work counter"
