"""hocket.kernels.attention on Hopper against NumPy: sizes, masks, shared heads, strides, logarithms of the sums."""

import ml_dtypes
import numpy as np
import ptxas
import pytest
from attention_reference import inputs, reference

from hocket import emulator
from hocket.kernels import attention
from hocket.kernels._attention import host as attention_host
from hocket.kernels._attention import host_nvidia as attention_nvidia
from hocket.kernels._attention.kernel_hopper import attention_hopper
from hocket.kernels._attention.operands import Attention
from hocket.kernels._attention.split_kv import TileSplits
from hocket.kernels._common.arrays import facts_of
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")

#: Heads, heads of keys, queries, keys: around the 64 queries of a warpgroup and the 128 keys of a block.
SIZES = ((1, 1, 1, 1), (2, 1, 70, 50), (1, 1, 150, 140), (1, 1, 40, 700), (1, 1, 256, 384))


@pytest.fixture(autouse=True)
def no_prepared_launches(monkeypatch):
    """Some tests change constants on which plans depend."""
    monkeypatch.setattr(attention_host, "_launches", LaunchCache(attention_host._launches.prepare))


def check(device, q, k, v, swapped=False, **options):
    """`swapped`: the arrays are [batch, sequence, heads, D] in memory."""
    arrays = [device.to_device(np.ascontiguousarray(x.swapaxes(1, 2)) if swapped else x) for x in (q, k, v)]
    if swapped:
        arrays = [x.swapaxes(1, 2) for x in arrays]
    result, logarithms = (device.to_host(x) for x in attention(*arrays, return_lse=True, **options))
    expected, sums = reference(q, k, v, options.get("causal", False), options.get("scale"))
    # Probabilities and the result are rounded to the dtype of the operands.
    eps = float(ml_dtypes.finfo(q.dtype).eps)
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= 2 * eps * np.maximum(np.abs(expected), 1)).all(), error.max()
    np.testing.assert_allclose(logarithms, sums, rtol=1e-5, atol=1e-5)
    return result


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes_that_fit_no_block(hopper_device, size, head_size, causal):
    check(hopper_device, *inputs(size, head_size), causal=causal)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_bfloat16_in_batches_with_shared_keys(hopper_device, head_size, causal):
    check(hopper_device, *inputs((4, 2, 33, 197), head_size, "bfloat16", batch=2), causal=causal)


def test_large_scores_do_not_overflow(hopper_device):
    q, k, v = inputs((1, 1, 64, 192), 64)
    check(hopper_device, q * 30, k * 30, v, scale=1.0)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_row_maxima_below_and_above_the_rescale_threshold(hopper_device, head_size, dtype, causal):
    """Rescales some rows and not others: rows whose P would exceed the largest sum, and rows with NaN."""
    q, k, v = inputs((1, 1, 450, 640), head_size, dtype)
    k = (k * np.linspace(12, 0.1, 640)[:, None]).astype(k.dtype)
    check(hopper_device, q, k, v, causal=causal)
    check(hopper_device, q * 8, k * 8, v, causal=causal)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_one_huge_score_in_the_last_block(hopper_device, head_size, dtype, causal):
    """Blocks are processed last one first. Rows of one warp need a new row max, the others do not."""
    q, k, v = inputs((1, 1, 384, 384), head_size, dtype)
    q[:, :, 20:30] = np.abs(q[:, :, 20:30]) * 8
    q[:, :, 250:255] = np.abs(q[:, :, 250:255])
    k[:, :, 3] = 4
    check(hopper_device, q, k, v, causal=causal)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_one_score_larger_by_each_power_of_two(hopper_device, head_size, dtype):
    """Up to the range of float32, and beyond, where the factor of the sums so far is subnormal, and then 0."""
    q, k, v = (np.zeros_like(x) for x in inputs((1, 1, 192, 256), head_size, dtype))
    q[0, 0, :, 0] = np.arange(192)
    k[0, 0, 3, 0] = 1
    v[0, 0, :, 0] = 1
    v[0, 0, 3, 1] = 1
    check(hopper_device, q, k, v, scale=float(np.log(2)))


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_rows_that_attend_to_nan_are_nan(hopper_device, head_size, causal):
    q, k, v = inputs((1, 1, 300, 300), head_size)
    k[:, :, 150] = np.nan
    q[:, :, 40] = np.nan
    result = hopper_device.to_host(attention(*(hopper_device.to_device(x) for x in (q, k, v)), causal=causal))
    sees = np.zeros(300, bool)
    sees[150 if causal else 0 :] = True
    sees[40] = True
    assert (np.isnan(result.astype(np.float32)).all(axis=3) == sees).all()
    assert (np.isnan(result.astype(np.float32)).any(axis=3) == sees).all()


def test_a_scale_of_zero_takes_the_mean(hopper_device):
    check(hopper_device, *inputs((1, 1, 64, 150), 64), scale=0.0, causal=True)


def test_sequences_between_heads_in_memory(hopper_device):
    check(hopper_device, *inputs((2, 2, 70, 290), 64), swapped=True)


def test_queries_without_any_key_give_zero(hopper_device):
    result = check(hopper_device, *inputs((1, 1, 270, 20), 128), causal=True)
    assert (result[:, :, :250] == 0).all()


#: Heads, heads of keys, queries, keys: heads that share keys share a tile if one head's queries fill few of its rows.
PACKED = ((4, 1, 1, 300), (8, 2, 1, 129), (6, 2, 5, 200), (4, 2, 40, 64), (12, 1, 30, 20), (5, 1, 33, 390))
#: Head size, mask, dimension that comes first in memory: each pair of values once.
PACKED_FORMS = ((64, "full", "heads"), (64, "causal", "sequence"), (128, "causal", "heads"), (128, "full", "sequence"))


@pytest.mark.parametrize("form", PACKED_FORMS, ids=str)
@pytest.mark.parametrize("size", PACKED, ids=str)
def test_heads_that_share_keys_share_tiles(hopper_device, size, form):
    """Sequence first, several queries: the heads' queries have two distances and are not packed."""
    head_size, mask, first = form
    check(hopper_device, *inputs(size, head_size, batch=2), swapped=first == "sequence", causal=mask == "causal")


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_packed_heads_and_divided_keys(hopper_device, monkeypatch, causal):
    """The arrivals at divided tiles are 0 again for the next launch, which has the same bits."""
    counters = hopper_device.to_device(np.zeros(16, np.int32))
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.counters_for", lambda array: counters)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.ADDING_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.START_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.gpu_of", lambda array: None)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 4)
    first, second = (check(hopper_device, *inputs((4, 2, 7, 700), 128), causal=causal) for _ in range(2))
    assert (hopper_device.to_host(counters) == 0).all()
    assert np.array_equal(first, second)


def test_keys_of_packed_heads_are_loaded_once():
    q, k, v = inputs((8, 2, 3, 256), 128)
    facts = [facts_of(x, "x") for x in (q, k, v, q)]
    packed = attention_nvidia._packed(Attention(*facts, causal=True))
    assert packed.q.shape == (1, 2, 12, 128)
    many = facts_of(np.zeros((1, 8, 256, 128), np.float16), "q")
    assert attention_nvidia._packed(Attention(many, *facts[1:3], many, causal=True)) is None  # full tiles anyway


@pytest.mark.parametrize("head_size", [64, 128])
def test_ping_pong_is_bitwise_equal(hopper_device, head_size):
    arrays = inputs((1, 1, 200, 500), head_size)
    with_turns, without = (check(hopper_device, *arrays, pipelined=choice) for choice in (True, False))
    assert np.array_equal(with_turns, without)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_blocks_take_one_tile_after_the_other(hopper_device, monkeypatch, head_size, causal):
    """Tiles with different numbers of blocks of keys; on a GPU, several tiles per SM."""
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 2)
    size = (32, 4, 1500, 700) if hopper_device.is_gpu else (2, 1, 300, 310)
    check(hopper_device, *inputs(size, head_size), causal=causal)


def test_a_kernel_leaves_its_counter_at_zero(hopper_device, monkeypatch):
    """The kernel resets the work counter for the next launch."""
    q, k, v = inputs((3, 1, 230, 330), 64)
    counter = hopper_device.to_device(np.zeros(1, np.int32))
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.counters_for", lambda array: counter)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.gpu_of", lambda array: None)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 2)
    first, second = (check(hopper_device, q, k, v, causal=True) for _ in range(2))
    assert hopper_device.to_host(counter) == [0]
    assert np.array_equal(first, second)


#: Heads, heads of keys, queries, keys; D, causal, multiprocessors: a few queries of long contexts, a full round before
#: the one that is shared, and causal tiles of different lengths.
SHARED = (
    ((2, 1, 3, 1400), 64, False, 8),
    ((2, 1, 3, 1400), 128, True, 8),
    ((5, 1, 128, 1300), 128, False, 4),
    ((1, 1, 256, 1200), 64, True, 12),
)


@pytest.mark.parametrize(("size", "head_size", "causal", "multiprocessors"), SHARED, ids=str)
def test_blocks_share_the_keys_of_a_tile(hopper_device, monkeypatch, size, head_size, causal, multiprocessors):
    monkeypatch.setattr("hocket.kernels._attention.split_kv.ADDING_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.split_kv.START_BLOCKS", 0)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.gpu_of", lambda array: None)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", multiprocessors)
    launched = []
    configure = attention_nvidia.configure
    monkeypatch.setattr(
        "hocket.kernels._attention.host_nvidia.configure", lambda *args: launched.append(args[-1]) or configure(*args)
    )
    check(hopper_device, *inputs(size, head_size), causal=causal)
    assert launched == [True]


def test_a_share_of_no_keys_counts_nothing(hopper_device, monkeypatch):
    """All shares of a query that sees no key, and those of a tile of fewer blocks than shares."""
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.choose_splits", lambda *args: TileSplits(0, 5))
    result = check(hopper_device, *inputs((1, 1, 140, 139), 128), causal=True)
    assert (result[:, :, 0] == 0).all()


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(monkeypatch, seed, completion):
    """Whichever block uses_work_counter which tile."""
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 2)
    q, k, v = inputs((3, 1, 230, 330), 64, "bfloat16")
    with emulator.target("sm_90a"):
        expected = attention(q, k, v, causal=True)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        assert np.array_equal(attention(q, k, v, causal=True), expected)


def ptx_of(head_size, causal):
    """Returns the PTX of the kernel for arrays of two tiles."""
    config = attention_nvidia.configure(
        head_size, causal, stores_lse=True, ping_pong=head_size == 64, dtype="float16", uses_work_counter=causal
    )
    arrays = inputs((1, 1, 256, 256), head_size)
    descriptors = [
        attention_nvidia.descriptor_form("attention", name, array, facts_of(array, name), rows).on(array)
        for name, array, rows in zip(("q", "k", "v", "out"), [*arrays, arrays[0]], (64, 128, 128, 64), strict=True)
    ]
    logarithms = np.zeros((1, 1, 256), np.float32)
    counter = np.zeros(1, np.int32) if causal else None
    sizes = 1, 1, 1, 1, 256, 256, 256, 2, 1
    kernel = attention_hopper.warmup(
        *descriptors, logarithms, counter, None, sizes, 2, 0.1, cfg=config, num_warps=4, grid=(2,), target="sm_90a"
    )
    return kernel.asm["ptx"]


@pytest.mark.parametrize("head_size", [64, 128])
def test_many_small_probabilities_beside_a_large_one(hopper_device, head_size):
    """Each is less than half of the smallest float16 relative to the large one, in the first or in the last block."""
    q, k, v = (np.zeros_like(x) for x in inputs((1, 1, 64, 2048), head_size))
    q[0, 0, :, 0] = np.arange(64) / 4
    v[0, 0, :, 0] = 1
    for key in (2, 2040):
        k[0, 0, :, 0] = 0
        k[0, 0, key, 0] = 1
        v[0, 0, :, 1] = 0
        v[0, 0, key, 1] = 1
        check(hopper_device, q, k, v, scale=float(np.log(2)))


@pytest.mark.parametrize(("head_size", "loops"), [(64, 0), (128, 4)])
def test_the_wait_for_values_is_held_below_the_exponentials(head_size, loops):
    """ptxas would move it up. Two warpgroups with a masked and an unmasked loop each; three lack registers for it."""
    after_keys = ptx_of(head_size, causal=False).split("wgmma.wait_group.sync.aligned 1;")[1:]
    before_values = [text.split("wgmma.wait_group.sync.aligned 0;")[0] for text in after_keys]
    assert [("ex2.approx" in text, "nanosleep" in text) for text in before_values].count((True, True)) == loops
    assert len(before_values) == (4 if head_size == 128 else 6)


@pytest.mark.parametrize("head_size", [64, 128])
def test_warps_look_for_maxima_only_where_a_vote_says_so(head_size):
    """Counts instructions in the branches after the votes. Without registers for scores, a warp computes them again."""
    after_keys = ptx_of(head_size, causal=False).split("wgmma.wait_group.sync.aligned 1;")[1:]
    for text in after_keys:
        before_vote, vote, after_vote = text.partition("vote.sync.any")
        assert vote and "ex2.approx" in before_vote
        assert "max.f32" not in before_vote and "mma.sync" not in before_vote
        assert "max.f32" in after_vote and ("mma.sync" in after_vote) == (head_size == 64)


@ptxas.needed
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_size", [64, 128])
def test_the_assembler_warns_of_nothing(head_size, causal):
    """ptxas must not warn of ignored register budgets (C7507) or serialized wgmmas (C7510, C7512)."""
    assert "Performance Loss" not in ptxas.messages(ptx_of(head_size, causal))
