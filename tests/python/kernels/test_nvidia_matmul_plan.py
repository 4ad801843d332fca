"""The rules that choose tiles and ways on NVIDIA GPUs, and their sentences."""

import pytest

from hocket.errors import LaunchError
from hocket.kernels import matmul
from hocket.kernels._matmul.plan_hopper import OTHER_BYTES, STAGED_ROWS, TILES, choose_hopper_plan, estimate

SHARED_BYTES = 232448
MULTIPROCESSORS = 132


def plan(m, n, k, batch=1, bits=16, out_bits=16, **options):
    return choose_hopper_plan(m, n, k, batch, bits, out_bits, SHARED_BYTES, MULTIPROCESSORS, **options)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_large_products_take_large_tiles(bits):
    assert str(plan(8192, 8192, 8192, bits=bits).tile) == "128 x 192"


@pytest.mark.parametrize(("k", "ping_pong"), [(512, True), (2048, True), (4096, False), (8192, False)])
def test_ping_pong_if_the_epilogue_is_long(k, ping_pong):
    assert plan(4096, 4096, k).tile.ping_pong == ping_pong


@pytest.mark.parametrize(("size", "tile"), [(2048, "128 x 128"), (3072, "128 x 192"), (4096, "128 x 256")])
def test_the_last_round_counts(size, tile):
    assert str(plan(size, size, size).tile) == tile


@pytest.mark.parametrize(("activation", "tile"), [("relu", "128 x 256"), ("silu", "128 x 128")])
def test_ping_pong_if_activations_are_long(activation, tile):
    chosen = plan(4096, 4096, 4096, activation=activation)
    assert (str(chosen.tile), chosen.tile.ping_pong) == (tile, tile == "128 x 128")


@pytest.mark.parametrize("size", [(1024, 1024, 4096), (64, 8192, 4096)], ids=str)
def test_small_products_are_spread_over_the_gpu(size):
    assert plan(*size).blocks > 100


@pytest.mark.parametrize("size", [(8, 8, 8), (4096, 64, 512), (5000, 3000, 1000), (8192, 8192, 512)], ids=str)
def test_no_tile_is_estimated_faster_than_the_chosen_one(size):
    totals = {tile: estimate(tile, *size, 1, 16, MULTIPROCESSORS).total_clocks for tile in TILES}
    assert totals[plan(*size).tile] == min(totals.values())


@pytest.mark.parametrize("out_bits", [8, 16, 32])
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_rings_and_results_fit_into_shared_memory(tile, bits, out_bits):
    chosen = plan(4096, 4096, 4096, bits=bits, out_bits=out_bits, tile=tile)
    ring = chosen.stages * (tile.m + tile.n) * chosen.block_k * bits // 8
    subtile = STAGED_ROWS * chosen.staged_columns * out_bits // 8
    buffers = chosen.staging_buffers * (1 if tile.ping_pong else tile.consumers)
    assert chosen.stages >= 3
    assert ring + buffers * subtile + OTHER_BYTES <= SHARED_BYTES


@pytest.mark.parametrize(("n", "stages"), [(128, 6), (192, 5)])
def test_ping_pong_warpgroups_use_one_epilogue_buffer(n, stages):
    """The ring has one slot more than with separate buffers."""
    tile = next(tile for tile in TILES if tile.ping_pong and tile.m == 128 and tile.n == n)
    assert plan(8192, 8192, 512, tile=tile).stages == stages


def test_accumulators_fit():
    assert max(tile.m // tile.parts * tile.n // 128 for tile in TILES) <= 192


def test_tiles_that_run_at_once_form_about_a_square():
    for tile in TILES:
        height = plan(8192, 8192, 512, tile=tile).group_rows * tile.m
        width = MULTIPROCESSORS * tile.m * tile.n / height
        assert 1 / 4 <= height / width <= 1


def test_a_batch_fills_the_gpu_with_large_tiles():
    assert plan(512, 512, 512, batch=64).tile.m * plan(512, 512, 512, batch=64).tile.n > 64 * 128
    assert plan(512, 512, 512).tile.m == 64


def test_hopper_explains_itself():
    assert matmul.explain((8192, 8192, 512), "float16", "sm_90a").splitlines() == [
        "sm_90a, 8192 x 512 times 512 x 8192 float16: tile 128 x 192, k-tiles of 64",
        "- tile 128 x 192: 2752 tiles on 132 SMs take 21 waves; per unit of K, a tile keeps the tensor "
        "cores busy for 12 clocks and the L2 for 10",
        "- next best, 128 x 128 (ping-pong): 32 waves, 1.06 times the clocks",
        "- a producer warp copies k-tiles of 64 by TMA into 5 stages, also while results are stored; two consumer "
        "warpgroups alternate (ping-pong): one multiplies while the other stores",
        "- the epilogue stores subtiles of 64 columns through shared memory",
        "- 132 persistent blocks; tiles are numbered in groups of 8 rows of tiles, so blocks that run together share "
        "rows of a and columns of b in the L2",
    ]
    assert "one multiplies while the other applies silu and stores" in matmul.explain(
        (4096, 4096, 4096), "float16", "sm_90a", activation="silu"
    )
    assert matmul.explain((64, 64, 64), "float32", "sm_90a", transposed_b=True, batch=2).splitlines()[-1] == (
        "- descriptors have a third dimension, for the batch"
    )
    assert matmul.explain((64, 64, 64), "float8_e4m3fn", "sm_90a").splitlines()[-1] == (
        "- b is copied first, with K contiguous: tensor cores read float8_e4m3fn in no other order from shared memory"
    )


def test_hopper_explains_copies_and_stores_by_lanes():
    reasons = matmul.explain((4095, 4097, 4101), "bfloat16", "sm_90a", transposed_b=True).splitlines()
    assert reasons[-3:] == [
        "- a is copied first, with padded rows, for TMA: rows of a are 8202 bytes apart, not a multiple of 16",
        "- b is copied first, with padded rows, for TMA: rows of b are 8202 bytes apart, not a multiple of 16",
        "- lanes store the result, not TMA: rows of out are 8194 bytes apart, not a multiple of 16",
    ]


def test_plans_with_functions_as_epilogues():
    """Functions count as activations; the kernel on CUDA cores is not chosen."""
    assert "one multiplies while the other applies the epilogue and stores" in matmul.explain(
        (4096, 4096, 4096), "float16", "sm_90a", has_epilogue=True
    )
    assert "CUDA cores" not in matmul.explain((1, 8192, 8192), "float16", "sm_90a", has_epilogue=True)
    for target in ("sm_90a", "sm_80", "gfx942"):
        matmul.explain((64, 64, 64), "float16", target, has_epilogue=True, out_dtype="int8")
    with pytest.raises(LaunchError, match=r"out_dtype is one of float32, .*, not 'int8'"):
        matmul.explain((64, 64, 64), "float16", "sm_90a", out_dtype="int8")


@pytest.mark.parametrize(
    ("size", "transposed", "words"),
    [
        ((3, 1024, 512), (False, True), "a has few rows: CUDA cores multiply"),
        ((1024, 2, 512), (False, True), "b has few columns: the kernel computes B^T x A^T: CUDA cores multiply"),
        ((8, 500, 1001), (False, True), "a has few rows: CUDA cores multiply"),
        ((4, 1024, 512), (False, True), "a has few rows: the kernel computes B^T x A^T; the tile is as narrow"),
        ((24, 1024, 512), (False, False), "a has few rows: the kernel computes B^T x A^T; the tile is as narrow"),
        ((1024, 24, 512), (False, False), "b has few columns; the tile is as narrow"),
        ((1024, 512, 16), (False, False), "by mma.sync: the warps of a kernel for TMA and wgmma would start later"),
    ],
    ids=str,
)
def test_small_extents_choose_other_kernels(size, transposed, words):
    """Also if no operand is large."""
    names = dict(zip(("transposed_a", "transposed_b"), transposed, strict=True))
    text = matmul.explain(size, "bfloat16", "sm_90a", **names)
    assert words in text
    if "narrow" in words:
        few = min(size[:2])
        assert f"tile 64 x {max(8, 1 << (few - 1).bit_length())}" in text


@pytest.mark.parametrize("size", [(64, 1024, 512), (1024, 1024, 512)], ids=str)
def test_other_extents_choose_tiles_for_both_operands(size):
    text = matmul.explain(size, "bfloat16", "sm_90a")
    assert not any(words in text for words in ("CUDA cores", "narrow", "mma.sync"))


def test_waves_of_one_warpgroup_and_a_small_k_take_time():
    """12920 x 288 with K = 16 takes 8 waves of 64 x 64, but 3 of 128 x 128."""
    assert str(plan(12920, 288, 16, bits=8).tile) == "128 x 128"
    assert not plan(17280, 208, 8).tile.ping_pong
    assert plan(17280, 208, 1024).tile.ping_pong


def test_ampere_explains_itself():
    assert matmul.explain((100, 101, 112), "float16", "sm_90a").splitlines()[1:] == [
        "- by mma.sync: copies of operands for TMA and wgmma would take longer than the multiplication",
        "- tile 64 x 64 by 4 warps: 4 tiles, 132 SMs",
        "- k-tiles of 32, 3 stages: two copies are in flight while one k-tile is multiplied",
        "- k-tiles pass through registers: the contiguous dimension of b is 101, not a multiple of 16",
        "- k-tiles are copied by cp.async, 16 bytes per lane",
    ]
    assert matmul.explain((4096, 4096, 4096), "float16", "sm_80").splitlines()[:2] == [
        "sm_80, 4096 x 4096 times 4096 x 4096 float16: tile 128 x 128, k-tiles of 32",
        "- tile 128 x 128 by 4 warps: 1024 tiles, 108 SMs",
    ]
