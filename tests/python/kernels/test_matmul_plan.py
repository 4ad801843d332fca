"""The rule that chooses tiles, and its sentences."""

import pytest

from hocket.errors import LaunchError
from hocket.kernels import attention, matmul
from hocket.kernels._matmul.plan_cdna import COMPUTE_UNITS, TILES, CdnaPlan, Tile, choose_plan, estimate
from hocket.kernels._matmul.variant_cdna import choose_variant

pytestmark = pytest.mark.quick

LARGEST = Tile(256, 256, 2, 4)
LDS_BYTES = {"gfx942": 64 * 1024, "gfx950": 160 * 1024}


def plan(m, n, k, target="gfx950", bits=16, obstacle=None):
    return choose_plan(m, n, k, bits, target, obstacle, LDS_BYTES[target])


def test_large_products_take_large_tiles():
    assert str(plan(8192, 8192, 8192).tile) == "256 x 256"


def test_small_products_are_spread_over_the_gpu():
    assert str(plan(1024, 1024, 4096).tile) == "64 x 64"


@pytest.mark.parametrize("target", COMPUTE_UNITS)
@pytest.mark.parametrize("size", [(1, 1, 1), (4096, 64, 512), (5000, 3000, 1000)], ids=str)
def test_no_tile_is_estimated_faster_than_the_chosen_one(size, target):
    chosen = plan(*size, target=target, obstacle="registers").tile
    totals = {tile: estimate(tile, *size, 16, COMPUTE_UNITS[target]).total_clocks for tile in TILES}
    assert totals[chosen] == min(totals.values())


def test_accumulators_and_registers_fit():
    for tile in TILES:
        assert tile.m * tile.n // (64 * tile.num_warps) <= 128


def test_operands_take_as_many_bytes_whatever_their_width():
    assert plan(4096, 4096, 4096, bits=8).block_k == 2 * plan(4096, 4096, 4096, bits=16).block_k


def test_stages_that_do_not_fit_are_a_reason():
    small = choose_plan(8192, 8192, 8192, 16, "gfx950", None, 100 * 1024)
    assert not small.is_direct
    assert small.stages == 1
    assert "two buffers of 65536 bytes do not fit into 102400 bytes of LDS" in small.reasons[-3]


@pytest.mark.parametrize(
    ("target", "tile", "obstacle", "way"),
    [
        ("gfx950", 256, None, (64, True, 2, True)),
        ("gfx950", 128, None, (64, True, 3, True)),
        ("gfx950", 256, "registers", (64, False, 1, True)),
        ("gfx942", 256, "registers", (64, False, 1, True)),
    ],
)
def test_eight_warps_form_a_warp_pipeline(target, tile, obstacle, way):
    chosen = choose_variant(Tile(256, tile, 2, 4), 4096, 16, obstacle, LDS_BYTES[target])
    assert chosen[:-1] == way
    assert chosen.reasons[1] == "warp pipeline: four warps load while the other four multiply"


@pytest.mark.parametrize(
    ("tile", "k", "lds_bytes", "reason"),
    [
        (Tile(128, 128, 2, 2), 4096, 160 * 1024, "a warp pipeline needs 8 warps"),
        (LARGEST, 3 * 64, 160 * 1024, "a warp pipeline pays off from 4 k-tiles of 64 on"),
        (Tile(256, 128, 2, 4), 5 * 64, 160 * 1024, "a warp pipeline pays off from 6 k-tiles of 64 on"),
        (LARGEST, 64, 100 * 1024, "a warp pipeline pays off from 2 k-tiles of 64 on"),
    ],
)
def test_plans_explain_a_missing_warp_pipeline(tile, k, lds_bytes, reason):
    way = choose_variant(tile, k, 16, None, lds_bytes)
    assert not way.is_pipelined
    assert way.block_k == 64
    assert way.reasons[-1] == f"all warps load and multiply at the same time: {reason}"


def test_too_little_lds_for_a_ring_is_a_reason():
    # Two k-tiles without padding just fit; three of half the size and their padding do not.
    way = choose_variant(LARGEST, 4096, 8, None, 128 * 1024)
    assert way.is_pipelined
    assert (way.block_k, way.stages) == (64, 3)


def test_pipelines_of_other_tiles_are_refused():
    with pytest.raises(LaunchError, match="a warp pipeline needs 8 warps, but the tile 128 x 128 has 4"):
        CdnaPlan(Tile(128, 128, 2, 2), 64, True, 3, True)


def test_quadrants_that_are_too_small_are_refused():
    with pytest.raises(LaunchError) as caught:
        CdnaPlan(Tile(128, 64, 4, 2), 64, True, 2, True)
    assert str(caught.value) == (
        "matmul: a warp pipeline with two stages multiplies quadrants of the tile, and those of 128 x 64 have less "
        "than 32 x 32 results for each of 4 x 2 warps"
    )


def test_blocks_share_tiles_that_are_few():
    few = plan(256, 256, 65536)
    assert few.splits > 1
    assert few.splits * (256 // few.tile.m) * (256 // few.tile.n) <= COMPUTE_UNITS["gfx950"].count
    assert plan(8192, 8192, 65536).splits == plan(256, 256, 512).splits == 1
    sentence = matmul.explain((512, 512, 16384), "float16", "gfx942").splitlines()[3]
    assert sentence == (
        "- split-K: 4 blocks share the K dimension of a tile, as 64 tiles alone would leave compute units idle; a "
        "second kernel adds up their partial sums in the order of k"
    )


def test_operands_that_are_not_aligned_get_tiles_that_do_not_spill():
    shape = 8192, 8192, 8192, 16, "gfx942", "registers", LDS_BYTES["gfx942"]
    assert choose_plan(*shape).tile.num_warps == 8
    assert choose_plan(*shape, is_aligned=False).tile.num_warps == 4


def test_matmul_explains_itself():
    assert matmul.explain((4096, 4096, 4096), "float16", "gfx950").splitlines() == [
        "gfx950, 4096 x 4096 times 4096 x 4096 float16: tile 256 x 256, k-tiles of 64",
        "- tile 256 x 256 by 8 warps: 256 tiles on 256 compute units take 1 wave; per unit of K, a tile keeps the "
        "matrix cores busy for 32 clocks and the loads for 16",
        "- next best, 256 x 128: 2 waves, 1.07 times the clocks",
        "- direct copies into LDS, 16 bytes per lane; two buffers: one is read while halves of both are filled",
        "- warp pipeline: four warps load while the other four multiply",
        "- a quadrant of the tile is multiplied at a time, so each half of a k-tile can be refilled as soon as it has "
        "been read: three k-tiles of 64, a cache line of each row, do not fit into 163840 bytes of LDS",
        "- blocks are distributed over 8 dies with an L2 cache each: those of one die process neighboring tiles, which "
        "share rows of a and columns of b",
    ]
    odd = matmul.explain((100, 101, 102), "bfloat16", "gfx950").splitlines()[-3:-1]
    assert odd == [
        "- operands pass through registers on their way into LDS: the contiguous dimension of a is 102, not a multiple "
        "of 16",
        "- all warps load and multiply at the same time: a warp pipeline needs 8 warps",
    ]


def test_attention_explains_its_sums():
    pipelined, plain = (attention.explain((batch, 8, 1024, 64), "gfx950").splitlines()[-2] for batch in (8, 1))
    assert plain == "- MFMAs compute the row sums of P: with D = 64 the VALU is the bottleneck"
    assert pipelined == plain + "; row maxima are updated only where a sum is too large"


NONE = "- 4096 keys are whole blocks of 64: no block is masked"
SOME = "- 4096 keys are whole blocks of 64: masked ones are masked in a branch"


@pytest.mark.parametrize(
    ("shape", "target", "causal", "told"),
    [
        ((4, 32, 4096, 64), "gfx950", False, [NONE]),
        ((4, 32, 4096, 64), "gfx950", True, [SOME]),
        ((4, 32, 4096, 128), "gfx942", False, [NONE]),
        ((4, 32, 4096, 128), "gfx950", True, []),
        ((4, 32, 4096, 64), "gfx942", True, []),
        ((4, 32, 4095, 64), "gfx950", False, []),
        ((1, 8, 4096, 64), "gfx950", False, []),
    ],
)
def test_attention_explains_which_blocks_it_masks(shape, target, causal, told):
    """Warp-pipelined attention with whole blocks of keys; causal only with D = 64 on gfx950."""
    lines = attention.explain(shape, target, causal=causal).splitlines()
    assert [line for line in lines if "whole blocks" in line] == told


def test_attention_explains_itself():
    assert attention.explain((2, 8, 1000, 64), "gfx942", causal=True).splitlines() == [
        "gfx942, 2 x 8 heads, 1000 queries of 64 elements",
        "- a block of 4 warps computes 128 queries, 32 per warp, so row maxima and row sums need no exchange between "
        "warps: 128 blocks; fully masked blocks of keys are skipped",
        "- keys and values pass through registers on their way into LDS: gfx942 copies 4 bytes per lane straight into "
        "LDS, registers take 16",
        "- no warp pipeline: with eight warps per block, there would be too few blocks for 304 compute units",
        "- blocks are distributed over 8 dies with an L2 cache each: those of one die process neighboring blocks of "
        "queries, so the keys of few heads",
    ]
    assert attention.explain((4, 32, 4096, 128), "gfx950").splitlines()[1:] == [
        "- a block of 8 warps computes 256 queries, 32 per warp, so row maxima and row sums need no exchange between "
        "warps: 2048 blocks",
        "- keys and values are copied straight into LDS, 16 bytes per lane, into three buffers: one is in use while "
        "the others are filled",
        "- warp pipeline: four warps compute MFMAs and softmax while the other four read keys or values",
        "- 4096 keys are whole blocks of 64: no block is masked",
        "- blocks are distributed over 8 dies with an L2 cache each: those of one die process neighboring blocks of "
        "queries, so the keys of few heads",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (Tile(256, 256, 2, 4), 64, True, 2, False),
            "matmul: an interleaved kernel needs 4 warps, one for each SIMD, but the tile 256 x 256 has 8",
        ),
        (
            (Tile(256, 256, 2, 4), 64, True, 2, True),
            "matmul: an interleaved kernel has no warp pipeline: set is_pipelined=False",
        ),
        (
            (Tile(256, 256, 2, 2), 64, True, 3, False),
            "matmul: an interleaved kernel that copies straight into LDS has two stages, not 3",
        ),
        (
            (Tile(256, 256, 2, 2), 64, False, 2, False),
            "matmul: an interleaved kernel that copies through registers has one stage, not 2",
        ),
        (
            (Tile(128, 64, 2, 2), 64, True, 2, False),
            "matmul: an interleaved kernel with two stages multiplies quadrants of the tile, and those of 128 x 64 "
            "have less than 32 x 32 results for each of 2 x 2 warps",
        ),
    ],
    ids=["warps", "pipeline", "ring", "registers", "quadrants"],
)
def test_plans_of_interleaved_kernels_are_checked(arguments, message):
    with pytest.raises(LaunchError) as caught:
        CdnaPlan(*arguments, is_interleaved=True)
    assert str(caught.value) == message


def test_the_model_chooses_no_interleaved_kernel():
    """The schedule model ranks the warp pipelines first, or the difference is within its error."""
    for target in LDS_BYTES:
        for bits in (8, 16):
            chosen = choose_plan(8192, 8192, 8192, bits, target, None, LDS_BYTES[target])
            assert chosen.is_pipelined and not chosen.is_interleaved
