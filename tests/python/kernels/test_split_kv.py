"""Distribution of tiles to CTAs in attention on Hopper, and its explanation."""

import pytest

from hocket.kernels import attention
from hocket.kernels._attention.split_kv import MOST_SPLITS, TileSplits, choose_splits


def last_wave(tiles, blocks, multiprocessors, splits):
    """Blocks of keys that the busiest SM has of the tiles in the last wave."""
    works = [blocks * (split + 1) // splits - blocks * split // splits for split in range(splits)]
    given = [0] * multiprocessors
    for work in range(tiles % multiprocessors * splits):
        given[work % multiprocessors] += works[work % splits]
    return max(given)


@pytest.mark.parametrize(
    ("tiles", "blocks", "expected"),
    [
        (132, 64, TileSplits(132, 1)),  # a full wave
        (131, 64, TileSplits(131, 1)),  # nearly one
        (4096, 64, TileSplits(4092, 32)),  # four tiles are left
        (16, 512, TileSplits(0, 8)),  # a long context, few queries
        (1, 512, TileSplits(0, MOST_SPLITS)),
        (1, 3, TileSplits(1, 1)),  # adding would take longer
        (1024, 24, TileSplits(1024, 1)),  # 100 tiles are left: splits of a single block would mostly start and end
        (1, 40, TileSplits(0, 20)),
    ],
)
def test_splits_are_chosen_for_the_last_wave(tiles, blocks, expected):
    assert choose_splits(tiles, blocks, 132) == expected


@pytest.mark.parametrize("tiles", [1, 2, 7, 40, 65, 66, 67, 90, 131, 140, 5504])
@pytest.mark.parametrize("blocks", [1, 2, 16, 64, 100])
def test_splits_never_make_the_last_wave_longer(tiles, blocks):
    chosen = choose_splits(tiles, blocks, 132)
    alone = last_wave(tiles, blocks, 132, 1)
    assert last_wave(tiles, blocks, 132, chosen.splits) <= alone
    assert chosen.pieces_of_work(tiles) == chosen.whole + (tiles - chosen.whole) * chosen.splits
    assert chosen.splits <= blocks


def test_attention_explains_its_tiles():
    whole = attention.explain((33, 4, 512, 128), "sm_90a").splitlines()[2]
    assert whole == "- 528 tiles, one after another on the 132 SMs of an H200, by one persistent block per SM"
    shared = attention.explain((4, 16, 8192, 128), "sm_90a").splitlines()[2]
    assert shared == (
        "- 4096 tiles, one after another on the 132 SMs of an H200, by one persistent block per SM; "
        "the keys of the last 4, which would leave most SMs idle, are divided among 32 blocks each (split-KV), the "
        "last of which to arrive combines their results"
    )
    drawn = attention.explain((4, 16, 8192, 128), "sm_90a", causal=True).splitlines()[2]
    assert drawn == (
        "- 4096 tiles, the longest ones first, over groups of heads whose keys fit into the L2 cache; each block takes "
        "its next tile from a work counter"
    )
    few = attention.explain((1, 2, 1024, 128), "sm_90a", causal=True).splitlines()[2]
    assert few.startswith("- 16 tiles, one after another on the 132 SMs")
