"""PTX of the GEMM on Hopper with scales of blocks: the instructions of a k-tile, and registers."""

import re

import ml_dtypes
import numpy as np
import ptxas
import pytest

from hocket.kernels._common.arrays import ArrayFacts
from hocket.kernels._matmul import host_nvidia
from hocket.kernels._matmul.kernel_block_scaled_hopper import matmul_block_scaled
from hocket.kernels._matmul.operands import Gemm, operand_of
from hocket.kernels._matmul.plan_block_scaled import TILES
from hocket.kernels._matmul.plan_hopper import choose_hopper_plan

pytestmark = pytest.mark.codegen

SIZE = 4096


def code_for(tile):
    """The kernel for 4096 cubed."""

    def operand(strides, dtype, bits):
        return operand_of("x", ArrayFacts((SIZE, SIZE), strides, dtype, bits))

    by_rows, by_columns = (SIZE, 1), (1, SIZE)
    operands = operand(by_rows, "float8_e4m3fn", 8), operand(by_columns, "float8_e4m3fn", 8)
    gemm = Gemm(*operands, operand(by_rows, "bfloat16", 16), False, "none")
    plan = choose_hopper_plan(SIZE, SIZE, SIZE, 1, 8, 16, 232448, 132, tile)
    config = host_nvidia.configure(plan, gemm)
    array = np.zeros((SIZE, SIZE), ml_dtypes.float8_e4m3fn)
    result = np.zeros((SIZE, SIZE), ml_dtypes.bfloat16)
    forms = *host_nvidia.operand_forms(array, array, gemm, config), host_nvidia.result_form(result, gemm, config)
    scales = np.zeros((SIZE, SIZE // 128), np.float32)
    strides = (SIZE // 128, 1), (SIZE // 128, 1)
    descriptors = [form.on(x) for form, x in zip(forms, (array, array, result), strict=True)]
    return matmul_block_scaled.warmup(
        *descriptors, None, scales, scales, *strides, SIZE, SIZE, SIZE, config, num_warps=4, target="sm_90a"
    )  # fmt: skip


def count(code, pattern):
    return len(re.findall(pattern, code))


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_a_k_tile_is_multiplied_and_promoted(tile):
    """Each warpgroup starts a k-tile at four locations: before the loop, twice in the loop, and after it if the number
    of k-tiles is even. It takes four wgmmas of 32 elements along K over all columns, and a multiply-add per element."""
    code = code_for(tile).asm["ptx"]
    assert count(code, rf"wgmma\.mma_async\.sync\.aligned\.m64n{tile.n}k32") == 4 * 4 * tile.consumers
    assert count(code, r"wgmma\.wait_group\.sync\.aligned\s+1;") == 3 * tile.consumers
    assert count(code, r"wgmma\.wait_group\.sync\.aligned\s+0;") == 2 * tile.consumers
    assert count(code, r"fma\.rn\.f32") == 5 * tile.consumers * 64 * tile.n // 128


@ptxas.needed
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_registers_suffice(tile):
    messages = ptxas.messages(code_for(tile).asm["ptx"])
    assert "0 bytes spill stores, 0 bytes spill loads" in messages
    assert "warning" not in messages
