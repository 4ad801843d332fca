"""PTX of the GEMMs on NVIDIA GPUs: the instructions of their loops, and the copies of their tiles."""

import re

import numpy as np
import pytest

from hocket import language as gl
from hocket.kernels._common.arrays import facts_of
from hocket.kernels._matmul import host_nvidia as matmul_nvidia
from hocket.kernels._matmul.kernel_ampere import matmul_by_warps
from hocket.kernels._matmul.kernel_hopper import matmul_by_partitions
from hocket.kernels._matmul.operands import Gemm, operand_of
from hocket.kernels._matmul.plan_ampere import choose_ampere_plan, configure_ampere
from hocket.kernels._matmul.plan_hopper import TILES

pytestmark = pytest.mark.codegen

SHARED_BYTES = {"sm_80": 166912, "sm_90a": 232448}
SIZE = 4096


def product_of(transposed=(False, False), has_bias=False, activation="none", dtype=np.float16):
    """SIZE cubed; the arrays take no memory."""

    def array(flipped):
        x = np.broadcast_to(np.zeros((), dtype), (SIZE, SIZE))
        strides = (x.itemsize, SIZE * x.itemsize) if flipped else (SIZE * x.itemsize, x.itemsize)
        facts = facts_of(x, "x")._replace(strides=tuple(s // x.itemsize for s in strides))
        return operand_of("x", facts)

    return Gemm(array(transposed[0]), array(transposed[1]), array(False), has_bias, activation)


def hopper_code(tile, **options):
    product = product_of(**options)
    plan = matmul_nvidia.choose_hopper_plan(SIZE, SIZE, SIZE, 1, 16, 16, SHARED_BYTES["sm_90a"], 132, tile=tile)
    config = matmul_nvidia.configure(plan, product)
    array = np.zeros((SIZE, SIZE), np.float16)
    forms = (
        *matmul_nvidia.operand_forms(array, array, product, config),
        matmul_nvidia.result_form(array, product, config),
    )
    bias = array[0] if product.has_bias else None
    sizes = SIZE, SIZE, SIZE, 1
    descriptors = [form.on(array) for form in forms]
    return matmul_by_partitions.warmup(*descriptors, bias, *sizes, cfg=config, num_warps=4, target="sm_90a")


def count(code, pattern):
    return len(re.findall(pattern, code))


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile} {tile.consumers} {tile.ping_pong}")
def test_rings_fill_shared_memory(tile):
    shared = hopper_code(tile).metadata.shared
    assert shared <= SHARED_BYTES["sm_90a"]
    assert shared + (tile.m + tile.n) * 128 > SHARED_BYTES["sm_90a"] or (tile.m + tile.n) * 8 * 128 < shared


@pytest.mark.parametrize("tile", (TILES[0], TILES[2]), ids=str)
@pytest.mark.parametrize("options", [{}, {"has_bias": True, "activation": "silu"}], ids=["plain", "bias and silu"])
def test_results_are_converted_in_pairs_and_leave_by_matrices(tile, options):
    code = hopper_code(tile, **options).asm["ptx"]
    accumulators = tile.m // tile.parts * tile.n // 128
    assert count(code, r"cvt\.rn\.f16x2\.f32") == tile.consumers * accumulators // 2
    assert count(code, r"stmatrix\.sync\.aligned\.m8n8\.x4") == tile.consumers * accumulators // 8
    assert count(code, r"cvt\.rn\.f16\.f32") == count(code, r"st\.shared\.(v\d\.)?b(16|32)\b.*%rs") == 0


@pytest.mark.parametrize("transposed", [(False, False), (True, True)], ids=["plain", "transposed"])
def test_the_loop_multiplies_a_slice(transposed):
    """Each warpgroup: four steps of 16, the one fence that they need, and one wait that leaves them in flight."""
    code = hopper_code(TILES[0], transposed=transposed).asm["ptx"]
    assert count(code, r"wgmma\.mma_async\.sync\.aligned\.m64n256k16") == 2 * 4
    assert count(code, r"wgmma\.wait_group\.sync\.aligned\s+1;") == 2
    assert count(code, r"wgmma\.wait_group\.sync\.aligned\s+0;") == 2
    # Two halves of A's rows, and columns of B as wide as the swizzle, or all of its rows.
    assert count(code, r"cp\.async\.bulk\.tensor\.2d\.shared") == 2 + (1 if transposed[1] else 4)


@pytest.mark.parametrize("transposed", [(False, False), (True, True)], ids=["plain", "transposed"])
def test_three_accumulators_are_multiplied_at_once(transposed):
    """Each warpgroup: four steps for each half of its 128 rows, of all 192 columns, which are one group."""
    tile = next(tile for tile in TILES if tile.n == 192)
    code = hopper_code(tile, transposed=transposed).asm["ptx"]
    assert (
        count(code, r"wgmma\.mma_async\.") == count(code, r"wgmma\.mma_async\.sync\.aligned\.m64n192k16") == 2 * 2 * 4
    )
    assert count(code, r"wgmma\.commit_group") == 2
    assert count(code, r"wgmma\.wait_group\.sync\.aligned\s+1;") == 2
    assert count(code, r"wgmma\.wait_group\.sync\.aligned\s+0;") == 2


def ampere_code(target, **options):
    product = product_of(**options)
    plan = choose_ampere_plan(product, 108)
    config = configure_ampere(plan, product)
    strides = [(operand.row_stride, operand.column_stride) for operand in product[:3]]
    arguments = [gl.float16] * 3, [None], strides, [(0, 0, 0)], [SIZE] * 3
    return matmul_by_warps.warmup(
        *[argument for group in arguments for argument in group], cfg=config, num_warps=4, target=target
    )


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(
    "transposed", [(False, False), (True, False), (False, True), (True, True)], ids=["plain", "A", "B", "both"]
)
def test_ampere_copies_sixteen_bytes_and_reads_matrices(target, transposed):
    compiled = ampere_code(target, transposed=transposed)
    code = compiled.asm["ptx"]
    assert compiled.metadata.shared <= SHARED_BYTES["sm_80"]
    assert count(code, r"cp\.async\.c[ag]\.shared\.global") == count(code, r"cp\.async\.cg.*, 16") > 0
    # The result changes its layout through shared memory; pieces of 16 bytes leave.
    assert count(code, r"ld\.shared") == count(code, r"ld\.shared\.v4\.b32") == count(code, r"st\.global\.v4\.b32")
    plain, flipped = (count(code, rf"ldmatrix\.sync\.aligned\.m8n8\.x4{trans}\.shared") for trans in ("", r"\.trans"))
    # A with its columns contiguous and B with its rows contiguous are read transposed.
    assert (plain > 0) == (not transposed[0] or transposed[1])
    assert (flipped > 0) == (transposed[0] or not transposed[1])
