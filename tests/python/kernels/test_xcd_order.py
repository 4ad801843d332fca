"""Blocks of one die get adjacent tiles, and each tile has one block."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.kernels._common.xcd_order import position_of_block


@hocket.jit
def places(out, blocks, dies: gl.constexpr):
    gl.store(out + gl.program_id(0), position_of_block(gl.program_id(0), blocks, dies))


@pytest.mark.parametrize("dies", [1, 2, 8])
@pytest.mark.parametrize("blocks", [1, 7, 8, 9, 64, 77])
def test_blocks_of_a_die_are_neighbors(blocks, dies):
    out = np.full(blocks, -1, np.int32)
    with hocket.emulator.target("gfx950"):
        places[(blocks,)](out, blocks, dies)
    assert sorted(out) == list(range(blocks))
    of_dies = [out[die::dies].tolist() for die in range(min(dies, blocks))]
    assert [place for places in of_dies for place in places] == list(range(blocks))
