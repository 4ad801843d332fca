"""Which block does what where a GPU has several dies with an L2 cache each: neighbours share a die.

Blocks are dealt to the dies in turn, so with 2 dies and 7 blocks:

    block    0 1 2 3 4 5 6
    die      0 1 0 1 0 1 0
    place    0 4 1 5 2 6 3      die 0 has places 0 to 3, die 1 has 4 to 6
"""

from __future__ import annotations

from .. import language as gl
from ..runtime.jit import jit


@jit
def place_of(block, blocks, dies: gl.constexpr):
    """The place of `block` among `blocks`: the places of a die's blocks follow each other. Each place has one block."""
    if dies == 1:
        return block
    die = block % dies
    return die * (blocks // dies) + gl.minimum(die, blocks % dies) + block // dies


def sentence(dies: int, what: str) -> str:
    """What `explain` says of it."""
    return f"blocks are dealt to {dies} dies with an L2 cache each: those of one die take {what}"
