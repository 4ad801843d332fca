"""Machine code as numbers: loops, units, waits, stages, and the report that shows them."""

import json
import re

import pytest

import hocket
from hocket import language as gl
from hocket.cli import main
from hocket.errors import HocketError
from hocket.isa.counts import count_loops
from hocket.isa.loops import blocks_of, instructions_of_amd, instructions_of_ptx, instructions_of_sass, loops_of
from hocket.isa.units import matrix_clocks_of, unit_of
from hocket.isa.waits import waits_of

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
    from hocket.reports.code import CodeReport

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


@pytest.mark.parametrize(
    ("language", "line", "unit"),
    [
        ("amd", "v_mfma_f32_32x32x16_f16 v[0:15], v[0:3], v[4:7], 0", "matrix"),
        ("amd", "v_pk_mul_f32 v[0:1], v[0:1], v[2:3]", "vector"),
        ("amd", "v_exp_f32_e32 v0, v0", "transcendental"),
        ("amd", "v_permlane32_swap_b32_e32 v0, v1", "vector"),
        ("amd", "ds_bpermute_b32 v1, v2, v3", "exchanges"),
        ("amd", "ds_read_b64_tr_b16 v[0:1], v2", "shared_reads"),
        ("amd", "ds_write2_b32 v0, v1, v2", "shared_writes"),
        ("amd", "buffer_load_dwordx4 v0, s[0:3], 0 offen lds", "copies"),
        ("amd", "buffer_load_dwordx4 v[0:3], v0, s[0:3], 0 offen", "loads"),
        ("amd", "s_load_dwordx2 s[0:1], s[2:3], 0x0", "loads"),
        ("amd", "global_atomic_add_f32 v0, v1, s[0:1]", "stores"),
        ("amd", "scratch_load_dword v0, off, off", "scratch"),
        ("amd", "s_waitcnt vmcnt(0)", "waits"),
        ("amd", "s_barrier", "barriers"),
        ("amd", "s_add_i32 s0, s0, 1", "scalar"),
        ("amd", "s_nop 9", "other"),
        ("ptx", "@%p1 st.shared.b32 [%r1], %r2", "shared_writes"),
        ("ptx", "@!%p1 bra $L", "other"),
        ("ptx", "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1", "matrix"),
        ("ptx", "wgmma.wait_group.sync.aligned 0", "waits"),
        ("ptx", "cp.async.cg.shared.global [%r1], [%rd1], 16", "copies"),
        ("ptx", "cp.async.commit_group", "other"),
        ("ptx", "ex2.approx.ftz.f32 %f1, %f2", "transcendental"),
        ("ptx", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1", "exchanges"),
        ("ptx", "barrier.sync 1, 256", "barriers"),
        ("ptx", "st.local.b32 [%rd1], %r1", "scratch"),
        ("ptx", "fma.rn.f32 %f1, %f2, %f3, %f4", "vector"),
        ("sass", "HGMMA.64x128x16.F32 R24, gdesc[UR4], R24, gsb0", "matrix"),
        ("sass", "HMMA.16816.F32 R4, R8, R12, R4", "matrix"),
        ("sass", "QGMMA.64x64x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24", "matrix"),
        ("sass", "MUFU.EX2 R4, R4", "transcendental"),
        ("sass", "FFMA R4, R5, R6, R7", "vector"),
        ("sass", "@!P0 IMAD.WIDE.U32 R2, R6, 0x100, RZ", "vector"),
        ("sass", "LDSM.16.MT88.4 R4, [R2]", "shared_reads"),
        ("sass", "@P1 STS.64 [R4+0x10], R8", "shared_writes"),
        ("sass", "SHFL.BFLY PT, R4, R5, 0x1, 0x1f", "exchanges"),
        ("sass", "LDG.E.128 R4, desc[UR6][R2.64]", "loads"),
        ("sass", "LDGSTS.E.BYPASS.128 [R4], desc[UR6][R2.64]", "copies"),
        ("sass", "@UP0 UTMALDG.2D [UR8], [UR4], desc[UR6]", "copies"),
        ("sass", "STG.E desc[UR6][R2.64], R4", "stores"),
        ("sass", "STL [R1], R4", "scratch"),
        ("sass", "WARPGROUP.DEPBAR.LE gsb0, 0x0", "waits"),
        ("sass", "WARPGROUP.ARRIVE", "other"),
        ("sass", "LDGDEPBAR", "other"),
        ("sass", "DEPBAR.LE SB0, 0x1", "waits"),
        ("sass", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R2", "waits"),
        ("sass", "BAR.SYNC.DEFER_BLOCKING 0x0", "barriers"),
        ("sass", "UIADD3 UR4, UR4, 0x1, URZ", "scalar"),
        ("sass", "@P0 BRA .L_x_0", "other"),
    ],
)
def test_units(language, line, unit):
    assert unit_of(line, language) == unit


@pytest.mark.parametrize(
    ("target", "instruction", "clocks"),
    [
        ("gfx950", "v_mfma_f32_32x32x16_f16 v[0:15], v[0:3], v[4:7], 0", 32),
        ("gfx942", "v_mfma_f32_16x16x16_bf16 v[0:3], v[0:1], v[4:5], 0", 16),
        ("gfx942", "v_mfma_f32_32x32x2_f32 v[0:15], v0, v1, 0", 64),
        ("gfx942", "v_mfma_f32_16x16x8_xf32 v[0:3], v[0:1], v[2:3], 0", 16),
        ("gfx942", "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[0:1], v[2:3], 0", 8),
        ("gfx942", "v_mfma_f64_16x16x4_f64 v[0:7], v[0:1], v[2:3], 0", 32),
        ("gfx950", "v_mfma_f64_16x16x4_f64 v[0:7], v[0:1], v[2:3], 0", 64),
        ("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[8:15], 0, v16, v17", 32),
        ("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[0:3], v[8:11], 0, v16, v17 cbsz:4 blgp:4", 16),
        ("gfx950", "v_add_u32_e32 v0, v0, v0", 0),
    ],
)
def test_clocks_of_matrix_instructions(target, instruction, clocks):
    assert matrix_clocks_of(target)(instruction) == clocks


def test_waits_look_back_over_trips():
    lines = ["buffer_load x lds", "s_waitcnt vmcnt(1)", "ds_read_b128 x", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(1)"]
    units = [unit_of(line, "amd") for line in lines]
    first, second, third = waits_of(lines, units, [0, 0, 1, 1, 1])
    assert first.finishes == {("copies", 0, 1): 1}
    assert first.leaves == {"vmcnt": 1, "lgkmcnt": 0}
    assert (
        first.describe(["a", "b"])
        == "1 copy into LDS (a, previous iteration); leaves 1 access of global memory pending"
    )
    assert second.finishes == {("shared_reads", 1, 0): 1}
    assert third.finishes == {}
    assert third.describe(["a", "b"]) == "nothing that is pending; leaves 1 access of global memory pending"


@hocket.jit
def scale_tiles(src, dst, trips, is_swizzled: gl.constexpr):
    """Reads rows that were stored as columns, through shared memory."""
    columns: gl.constexpr = gl.BlockedLayout([1, 1], [gl.num_lanes(), 1], [1, 4], [0, 1])
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [4, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 32 if is_swizzled else 1, [1, 0])
    smem = gl.allocate_shared_memory(gl.float32, [64, 64], shared)
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))[:, None] * 64
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, columns))[None, :]
    i2 = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))[:, None] * 64
    j2 = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))[None, :]
    for _ in range(trips):
        smem.store(gl.load(src + i + j))
        gl.store(dst + i2 + j2, smem.load(rows))
        src += 4096
        dst += 4096


def compiled(is_swizzled, target="gfx942"):
    return scale_tiles.warmup(gl.float32, gl.float32, 7, is_swizzled=is_swizzled, target=target)


def test_bank_conflicts_of_a_loop():
    """64 lanes store a column: all into one bank, or, swizzled, into 32 of them."""
    bad, good = compiled(False).report(), compiled(True).report()
    total = [sum(stage.writes.actual for stage in report.loops[0].stages) for report in (bad, good)]
    assert total == [16 * 64, 16 * 2]
    assert bad.warnings == [
        "writes of shared memory take 1024 wavefronts a trip and warp where 32 would do: bank conflicts"
    ]
    assert good.warnings == []
    assert "32 + 992" in str(bad)
    assert "32 + 992" in bad._repr_html_()


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


def test_what_the_gpu_runs():
    kernel = compiled(True, "sm_90a")
    try:
        text = kernel.asm["sass"]
    except HocketError as error:
        pytest.skip(str(error).splitlines()[0])
    report = kernel.report()
    assert report.language == "sass"
    loop = report.loops[0]
    stores, loads = (sum(f" {name}" in line for line in text.splitlines()) for name in ("STG", "LDG"))
    assert 0 < loop.total("stores") <= stores
    assert 0 < loop.total("loads") <= loads
    assert loop.total("barriers") == 2
    assert report.resources["registers"] > 0
    assert "PTX" not in str(report)


def test_what_a_loop_consists_of():
    report = compiled(True).report()
    loop = report.loops[0]
    assert loop.total("stores") == 16
    assert loop.total("loads") == 16
    assert loop.total("barriers") == len(loop.stages) == 2
    assert loop.instructions == sum(stage.instructions for stage in loop.stages)
    assert report.resources["shared_bytes"] == 64 * 64 * 4
    assert report.occupancy.bound == "shared memory"
    assert report.occupancy.blocks == 4
    assert any(unit == "loads" for wait in loop.waits for unit, _, _ in wait.finishes)


def test_ptx(monkeypatch):
    """Without nvdisasm."""
    monkeypatch.setattr("hocket.runtime.disassembly._nvdisasm", lambda: None)
    report = compiled(True, "sm_90a").report()
    assert report.language == "ptx"
    loop = report.loops[0]
    assert loop.total("shared_writes") > 0
    assert loop.total("barriers") == 2
    assert loop.waits == []
    assert "PTX" in str(report)


def test_without_a_loop():
    @hocket.jit
    def one(dst):
        gl.store(dst, 1.0)

    report = one.warmup(gl.float32, target="gfx950").report()
    assert report.loops == []
    assert "no loop" in str(report)


def test_spills_in_a_loop_are_a_warning():
    text = "kernel:\nL:\n scratch_load_dword v0, off, off\n s_cbranch_scc1 L\n s_endpgm\n"
    [loop] = count_loops(text, "kernel", "gfx942", "amd")
    assert loop.total("scratch") == 1
    from hocket.reports.code import CodeReport

    report = CodeReport("kernel", "gfx942", "amd", {"registers_spilled": 3}, None, [loop])
    assert report.warnings == [
        "3 registers spilled",
        "the hottest loop accesses scratch memory 1 times a trip: registers are spilled, or arrays indexed, in it",
    ]


def test_blocks_begin_at_labels_and_after_branches():
    blocks = blocks_of(["a", "s_cbranch_scc0 L", "b", "L:", "c"])
    assert [block.instructions for block in blocks] == [["a", "s_cbranch_scc0 L"], ["b"], ["c"]]
    assert blocks[2].labels == ["L"]


FILE = """
import hocket
from hocket import language as gl


@hocket.jit
def total(src, dst, n):
    acc = 0.0
    for i in range(n):
        acc += gl.load(src + i)
    gl.store(dst, acc)
"""


@pytest.fixture
def command(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(FILE)
    return ["compile", f"{path}::total", "--signature", "*f32,*f32,i32", "--target", "gfx950", "--report"]


def test_the_command_prints_the_report(command, capsys):
    assert main(command) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("total for gfx950: 4 warps, ")
    assert "hottest loop: " in printed.out
    assert "s_endpgm" not in printed.out


def test_the_command_prints_text_and_report_apart(command, capfdbinary):
    assert main([*command, "--emit", "amdgcn"]) == 0
    printed = capfdbinary.readouterr()
    assert b"s_endpgm" in printed.out
    assert b"hottest loop: " in printed.err


def test_the_report_as_json(command, capsys):
    assert main([*command, "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    [loop] = outcome["report"]["loops"]
    assert loop["instructions"] == sum(stage["instructions"] for stage in loop["stages"])
    assert "artifacts" not in outcome


def test_a_report_is_no_file(command, capsys):
    assert main([*command, "-o", "somewhere"]) == 2
    assert "--report prints a report: say with --emit what -o is to hold" in capsys.readouterr().err


@hocket.jit
def offsets(m: gl.constexpr, n: gl.constexpr, stride: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, m, gl.SliceLayout(1, layout))
    columns = gl.arange(0, n, gl.SliceLayout(0, layout))
    return rows[:, None] * stride + columns[None, :]


@hocket.jit
def multiply_in_turns(a, b, c, steps):
    """A warp pipeline of two groups; rows of A have 32 elements, those of B 64."""
    acc_layout: gl.constexpr = gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 4])
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [16, 4], [8, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [8, 1], [1, 0])
    plain: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 1, [1, 0])
    a_smem = gl.allocate_shared_memory(gl.float16, [3, 128, 32], plain)
    b_smem = gl.allocate_shared_memory(gl.float16, [3, 32, 64], plain)
    acc = gl.zeros([128, 64], gl.float32, acc_layout)
    a_at = offsets(128, 32, 4096, rows)
    b_at = offsets(32, 64, 64, columns)
    a_next = gl.amd.cdna3.buffer_load(a, a_at)
    b_next = gl.amd.cdna3.buffer_load(b, b_at)
    for i in range(steps):
        with gl.amd.warp_pipeline_stage("store"):
            a_smem.index(i % 3).store(a_next)
            b_smem.index(i % 3).store(b_next)
            a_next = gl.amd.cdna3.buffer_load(a, a_at + i * 32)
            b_next = gl.amd.cdna3.buffer_load(b, b_at + i * 2048)
        with gl.amd.warp_pipeline_stage("nothing"):
            acc = acc + 1.0
        with gl.amd.warp_pipeline_stage("load"):
            x = a_smem.index(i % 3).load(gl.DotOperandLayout(0, acc_layout, 8))
            y = b_smem.index(i % 3).load(gl.DotOperandLayout(1, acc_layout, 8))
        with gl.amd.warp_pipeline_stage("multiply"):
            acc = gl.amd.cdna3.mfma(x, y, acc)
    gl.store(c + offsets(128, 64, 64, acc_layout), acc)


@pytest.fixture(scope="module")
def turns():
    types = [gl.float16, gl.float16, gl.float32, 7]
    return multiply_in_turns.warmup(*types, num_warps=8, target="gfx950").report()


def test_rows_of_tiles_in_global_memory(turns):
    stages = {stage.name: stage for stage in turns.loops[0].stages}
    # 8 KB of rows of 64 bytes, 4 KB of rows of 128.
    assert stages["store"].line_use == {"loads": (2 * 8 + 4) / (8 + 4)}
    assert stages["multiply"].line_use == {}


def test_the_report_tells_what_the_model_says(turns):
    schedule = turns.schedule
    assert [stage.name for stage in schedule.stages] == [stage.name for stage in turns.loops[0].stages]
    assert schedule.waves == 2 * turns.occupancy.blocks
    sentence = (
        f"model: {schedule.clocks:.0f} clocks per trip, {100 * schedule.matrix_share:.1f} % of the matrix cores' time, "
        f"bound by {schedule.bound}"
    )
    assert f"  {sentence} (never timed on hardware)" in str(turns).splitlines()
    assert sentence.replace("'", "&#x27;") in turns._repr_html_()
    told = turns.as_dict()["schedule"]
    assert told["clocks"] == schedule.clocks
    assert told["stages"][0]["name"] == schedule.stages[0].name
    json.dumps(told)


def test_the_picture_of_the_model(turns):
    svg = turns.draw_schedule().svg
    for text in ("wave 0", "wave 1", "multiply: ", "matrix core: ", "By a model"):
        assert text in svg
    begin, end, _ = turns.schedule.products[0]
    assert end - begin == 32  # of the first product: 8 passes
    assert svg in turns._repr_html_()


def test_there_is_no_model_of_nvidia_gpus():
    report = compiled(True, "sm_90a").report()
    assert report.schedule is None
    assert report.as_dict()["schedule"] is None
    assert "model" not in str(report)
    with pytest.raises(ValueError, match="there is no model of the schedule to draw: it is of AMD GPUs only"):
        report.draw_schedule()
