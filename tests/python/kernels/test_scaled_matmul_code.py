"""The ISA of pipelined products of microscaled matrices, 256 x 256."""

import pytest
from pipelined_loop import having, read_loop

from hocket import language as gl
from hocket.kernels._matmul.host_scaled import FORMATS, KERNELS, choose_scaled_plan, configure_scaled

pytestmark = pytest.mark.codegen

SIZE = 4096


def compiled(dtype):
    elements = FORMATS[dtype]
    k = SIZE // elements.per_byte
    plan = choose_scaled_plan(SIZE, SIZE, SIZE, elements, "gfx950")
    assert plan.variant == "quadrants"
    config = configure_scaled(plan, "gfx950", elements, k)
    arrays = elements.stored, elements.stored, gl.bfloat16, None, gl.uint8, gl.uint8
    sizes = (k, 1), (1, k), (SIZE, 1), SIZE, SIZE, k
    return KERNELS["quadrants"].warmup(*arrays, *sizes, cfg=config, num_warps=8, target="gfx950")


@pytest.mark.parametrize(("dtype", "products"), [("float8_e4m3fn", 16), ("float8_e5m2", 16), ("uint8", 32)])
def test_counts_of_the_loop(budgets, dtype, products):
    """1024 clocks of the matrix cores for a k-tile of 128 or 256; no spills, no bank conflicts, two waves per SIMD."""
    report = compiled(dtype).report()
    loop = report.loops[0]
    assert (loop.total("matrix"), loop.matrix_clocks) == (products, 1024)
    budgets.check("matmul, scaled: a k-tile", dtype, instructions=loop.instructions, vector=loop.total("vector"))
    assert loop.total("scratch") == report.resources["registers_spilled"] == 0
    assert report.occupancy.warps_per_simd == 2
    assert all(stage.reads.actual == stage.reads.ideal for stage in loop.stages)
    assert report.schedule.matrix_share > 0.95


@pytest.mark.parametrize(("dtype", "use"), [("float8_e4m3fn", 2), ("uint8", 1)])
def test_slices_and_blocks_of_scales_fill_cache_lines(dtype, use):
    """A slice of MXFP8 takes half of each block of scales, which the one after it finds in the cache."""
    stages = compiled(dtype).report().loops[0].stages
    assert [stage.line_use for stage in stages] == [{"loads": use, "copies": 1}, {}] * 4


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "uint8"])
def test_scales_take_one_load_per_row_of_a_lane(dtype):
    """A wave has 128 rows and 64 columns of the tile: six results of 32."""
    width = {"float8_e4m3fn": "ushort", "uint8": "dword"}[dtype]
    loop = read_loop(compiled(dtype).asm["amdgcn"]).loop
    scales = [line for line in having(loop, "buffer_load") if not line.endswith(" lds")]
    assert len(having(scales, f"buffer_load_{width} ")) == len(scales) == 128 // 32 + 64 // 32


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "uint8"])
def test_waits_for_scales_leave_the_copies_of_four_halves_under_way(dtype):
    for line in having(read_loop(compiled(dtype).asm["amdgcn"]).loop, "s_waitcnt.*vmcnt"):
        assert int(line.split("vmcnt(")[1].split(")")[0]) >= 4 * 2


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "uint8"])
def test_products_wait_once_at_most_before_the_first(dtype):
    """Scales of two blocks of rows are two loads, for which one wait is enough."""
    loop = compiled(dtype).report().loops[0]
    assert not any(wait.is_amid_mmas for wait in loop.waits)
    assert all(stage.units["waits"] <= 1 for stage in loop.stages if stage.matrix_clocks)
