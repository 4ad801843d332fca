"""Order of tiles for GPUs with several dies (XCDs), each with an L2 cache: neighboring tiles run on the same die.

The hardware distributes blocks over the dies round-robin. With 2 dies and 7 blocks:

    block       0 1 2 3 4 5 6
    die         0 1 0 1 0 1 0
    position    0 4 1 5 2 6 3      die 0 has positions 0 to 3, die 1 has 4 to 6
"""

from __future__ import annotations

from ... import jit
from ... import language as gl


@jit
def position_of_block(block, blocks, dies: gl.constexpr):
    """Returns the position of the tile that `block` computes, in an order of `blocks` tiles. The blocks of one die have
    contiguous positions. Each position has exactly one block."""
    if dies == 1:
        return block
    die = block % dies
    return die * (blocks // dies) + gl.minimum(die, blocks % dies) + block // dies


def describe_order(dies: int, what: str) -> str:
    """Returns the sentence of `explain` about the assignment of blocks to dies."""
    return f"blocks are distributed over {dies} dies with an L2 cache each: those of one die process {what}"
