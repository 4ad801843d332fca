"""Loops of machine code and PTX, and the instructions in them that some iterations skip."""

import re

from hocket.isa.counts import count_loops
from hocket.isa.loops import blocks_of, instructions_of_amd, instructions_of_ptx, instructions_of_sass, loops_of
from hocket.isa.units import unit_of
from hocket.reports.code import CodeReport

NESTED = """
	.text
kernel:                                  ; @kernel
; %bb.0:
	s_mov_b32 s0, 0
.LBB0_1:                                 ; outer
	s_mov_b32 s1, 0
	s_branch .LBB0_3
.LBB0_2:                                 ; stands before the header of its loop
	v_add_u32_e32 v0, 1, v0              ; a comment
	s_cbranch_scc1 .LBB0_5
.LBB0_3:
	v_exp_f32_e32 v1, v1
	s_cbranch_vccz .LBB0_2
; %bb.4:
	v_mul_f32_e32 v2, v2, v2
	s_branch .LBB0_2
.LBB0_5:
	s_cbranch_scc0 .LBB0_1
; %bb.6:
	s_endpgm
.Lfunc_end0:
other:
	v_sub_f32_e32 v0, v0, v0
"""


def test_loops_and_what_is_optional_in_them():
    outer, inner = loops_of(instructions_of_amd(NESTED, "kernel"))
    assert (outer.depth, outer.is_innermost) == (1, False)
    assert (inner.depth, inner.is_innermost) == (2, True)
    assert inner.instructions == [
        "v_exp_f32_e32 v1, v1",
        "s_cbranch_vccz .LBB0_2",
        "v_mul_f32_e32 v2, v2, v2",
        "s_branch .LBB0_2",
        "v_add_u32_e32 v0, 1, v0",
        "s_cbranch_scc1 .LBB0_5",
    ]
    assert inner.is_optional == [False, False, True, True, False, False]


def test_what_some_trips_do_without_is_told_apart():
    [inner] = count_loops(NESTED, "kernel", "gfx950", "amd")
    assert (inner.instructions, inner.optional()) == (6, 2)
    assert (inner.total("vector"), inner.optional("vector"), inner.optional("vector", "other")) == (2, 1, 2)
    heading, row = str(CodeReport("kernel", "gfx950", "amd", {}, None, [inner])).splitlines()[-3:-1]
    assert re.split("  +", heading.strip())[:5] == ["stage", "all", "VALU", "trans", "other"]
    assert re.split("  +", row.strip())[:5] == ["1", "4 + 2", "1 + 1", "1", "2 + 1"]
    assert CodeReport("kernel", "gfx950", "amd", {}, None, [inner]).as_dict()["loops"][0]["stages"][0]["optional"] == 2


def test_code_without_loops():
    assert loops_of(["v_mov_b32 v0, v1", "s_endpgm"]) == []
    assert loops_of([]) == []
    assert instructions_of_amd(NESTED, "missing") == []
    assert instructions_of_ptx(".entry kernel() {\n ret;\n}\n", "missing") == []


def test_a_loop_that_is_its_own_block():
    [loop] = loops_of(["L:", "v_mov_b32 v0, v1", "s_cbranch_scc1 L", "s_endpgm"])
    assert loop.instructions == ["v_mov_b32 v0, v1", "s_cbranch_scc1 L"]
    assert loop.is_optional == [False, False]


def test_a_wait_for_an_mbarrier_is_no_loop():
    [loop] = loops_of(
        [
            "L:",
            "mul.f32 %f1, %f1, %f1",
            "W:",
            "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2",
            "@!%p1 bra W",
            "add.s32 %r3, %r3, 1",
            "@%p2 bra L",
            "ret",
        ]
    )
    assert loop.is_innermost
    assert len(loop.instructions) == 5
    late = [
        "L:",
        "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R2",
        "@!P0 BRA W",
        "B:",
        "FADD R1, R1, R2",
        "@P1 BRA L",
        "EXIT",
    ]
    late += ["W:", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R2", "@!P0 BRA W", "BRA B"]
    [loop] = loops_of(late)
    assert loop.is_innermost
    assert sum(loop.is_optional) == 3


def test_ptx_of_several_lines():
    text = """
.visible .entry kernel(
	.param .u64 p
)
.maxntid 128
{
	.reg .pred %p<2>;
	mov.b32 %r1, 0;
$L__BB0_1:
	{ mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
	{ %f1, %f2 }, { %r1 }, { %r2 }, { %f3 }; }
	ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r5];	// a comment
	@%p1 bra $L__BB0_1;
	ret;
}
"""
    [loop] = loops_of(instructions_of_ptx(text, "kernel"))
    assert [unit_of(line, "ptx") for line in loop.instructions] == ["matrix", "shared_reads", "other"]


def test_blocks_begin_at_labels_and_after_branches():
    blocks = blocks_of(["a", "s_cbranch_scc0 L", "b", "L:", "c"])
    assert [block.instructions for block in blocks] == [["a", "s_cbranch_scc0 L"], ["b"], ["c"]]
    assert blocks[2].labels == ["L"]


SASS = """
//--------------------- .text.other --------------------------
.text.other:
        /*0000*/                   EXIT ;
//--------------------- .text.kernel --------------------------
\t.section\t.text.kernel,"ax",@progbits
kernel:
.text.kernel:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 EXIT ;
.L_x_0:
        /*0020*/                   LDS R4, [R2] ;                  /* 0x0000000002047984 */
        /*0030*/               @P1 BRA `(.L_x_1) ;
        /*0040*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
.L_x_1:
        /*0050*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0060*/                   BRA.U !UP0, `(.L_x_0) ;
        /*0070*/                   EXIT ;
.L_x_2:
        /*0080*/                   BRA `(.L_x_2);
        /*0090*/                   NOP;
//--------------------- .nv.shared --------------------------
"""


def test_sass():
    lines = instructions_of_sass(SASS, "kernel")
    [loop] = loops_of(lines)
    assert loop.instructions == [
        "LDS R4, [R2]",
        "@P1 BRA .L_x_1",
        "HMMA.16816.F32 R4, R8, R12, R4",
        "BAR.SYNC.DEFER_BLOCKING 0x0",
        "BRA.U !UP0, .L_x_0",
    ]
    assert loop.is_optional == [False, False, True, False, False]
    assert instructions_of_sass(SASS, "missing") == []
    [hottest] = count_loops(SASS, "kernel", "sm_90a", "sass")
    assert hottest.total("matrix") == 1
