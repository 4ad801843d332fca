"""The unit that executes an instruction, the clocks of an MFMA, and the instructions that a wait waits for."""

import pytest

from hocket.isa.units import matrix_clocks_of, unit_of
from hocket.isa.waits import waits_of


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
