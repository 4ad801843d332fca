"""Assembly of the GEMM with its largest tile: registers, spills, instructions, waits."""

import pytest
from matmul_code import COLUMNS, LDS_BYTES, ROWS, code_of, count, metadata

pytestmark = pytest.mark.codegen


@pytest.mark.parametrize("b_strides", [ROWS, COLUMNS], ids=["B", "B^T"])
@pytest.mark.parametrize("a_strides", [ROWS, COLUMNS], ids=["A", "A^T"])
@pytest.mark.parametrize(
    ("target", "is_direct"), [("gfx942", False), ("gfx950", False), ("gfx950", True)], ids=lambda value: str(value)
)
def test_two_waves_fit_on_a_simd(target, is_direct, a_strides, b_strides):
    code = code_of(target, is_direct, a_strides, b_strides)
    assert metadata(code, "vgpr_count") + metadata(code, "agpr_count") <= 256
    assert metadata(code, "vgpr_spill_count") == metadata(code, "sgpr_spill_count") == 0
    assert metadata(code, "private_segment_fixed_size") == 0
    assert metadata(code, "group_segment_fixed_size") <= LDS_BYTES[target]


@pytest.mark.parametrize(
    ("target", "is_direct", "mfma"),
    [("gfx942", False, "v_mfma_f32_32x32x8_f16"), ("gfx950", True, "v_mfma_f32_32x32x16_f16")],
    ids=["gfx942", "gfx950"],
)
def test_operands_are_read_and_multiplied_whole(target, is_direct, mfma):
    """In the loop and its last step; with A and B contiguous along K all reads are 16 bytes wide."""
    code = code_of(target, is_direct, ROWS, COLUMNS)
    depth = 8 if target == "gfx942" else 16
    assert count(code, mfma) == 2 * (128 // 32) * (64 // 32) * (64 // depth)
    assert count(code, "ds_read_b128") == 2 * (128 + 64) * 64 * 2 // (64 * 16)
    assert count(code, r"ds_read_(?!b128)") == 0


def test_direct_copies_pass_through_no_register():
    code = code_of("gfx950", True)
    assert count(code, r"buffer_load_dwordx4 .* lds$") == 2 * 2 * 256 * 64 * 2 // (512 * 16)
    assert count(code, "ds_write") == 0
    assert count(code, "buffer_load") == count(code, r"buffer_load_dwordx4 .* lds$")


def test_rows_of_b_are_transposed_as_they_are_read():
    code = code_of("gfx950", True)
    assert count(code, "ds_read_b64_tr_b16") == 2 * 64 * 64 * 2 // (64 * 8)
    assert count(code, "ds_read_u16") == 0


def test_barriers_do_not_wait_for_global_memory():
    """Loads of the next slice stay in flight over the barriers of the loop; each is waited for where it is stored."""
    code = code_of("gfx942", False)
    lines = [line.strip() for line in code.splitlines()]
    start = next(i for i, line in enumerate(lines) if "Inner Loop Header" in line)
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("s_cbranch_scc"))
    loop = lines[start:end]
    barriers = [i for i, line in enumerate(loop) if line.startswith("s_barrier")]
    assert len(barriers) == 2
    for barrier in barriers:
        before = [line for line in loop[max(0, barrier - 3) : barrier] if line.startswith("s_waitcnt")]
        assert not any("vmcnt" in line for line in before), before
