"""The kernel everyone begins with."""

import pytest

import hocket.language as gl

pytestmark = pytest.mark.quick


def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


SIGNATURE = "*f32:16, *f32:16, *f32:16, i32"


def test_ir(emit, check):
    ir = emit(add, SIGNATURE, BLOCK=1024)
    check(
        ir,
        """
        #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
        hk.num_warps = 4 : i32, hk.target = "sm_90a"
        func.func @add(%{{.*}}: !hk.ptr<f32> {hk.divisibility = 16 : i32}, {{.*}}: i32) attributes {hk.kernel}
        hk.program_id 0
        arith.muli
        hk.arange 0 to 1024
        arith.addi
        hk.addptr
        arith.cmpi slt
        hk.load
        hk.load
        arith.addf
        hk.store
        return
        """,
    )


def test_lanes_follow_the_target(emit, check):
    check(emit(add, SIGNATURE, BLOCK=1024, _target="gfx950"), "threads_per_warp = [64]")


def test_locations_are_those_of_the_source(emit):
    ir = emit(add, SIGNATURE, BLOCK=1024, _locations=True)
    first_line = add.__code__.co_firstlineno
    assert f"test_vector_add.py:{first_line + 2}:9" in ir
