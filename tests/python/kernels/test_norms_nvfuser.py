"""The decision tables of nvFuser's rule: which parameters it finds, and which schedule it takes."""

import pytest

from hocket.kernels import norms
from hocket.kernels.norms.nvfuser import (
    MultiWave,
    Shape,
    Specialized,
    multi_wave,
    registers_per_thread,
    schedule_of,
    share_registers,
    specialized,
)

#: Sums (1: RMSNorm, 2: LayerNorm), bits, columns; threads, groups, rows, slots, cached, weight in registers, good.
SPECIALIZED = (
    (1, 16, (1024,), (128, 2, 4, 8, 1, 1), True),
    (1, 16, (2048,), (128, 2, 4, 4, 1, 1), True),
    (1, 16, (4096,), (128, 2, 2, 4, 1, 1), True),
    (1, 16, (5120, 6144), (128, 2, 1, 8, 1, 1), True),
    (1, 16, (8192, 10240), (128, 2, 1, 4, 0, 1), True),
    (1, 16, (12288,), (128, 2, 1, 4, 0, 0), True),
    (1, 16, (16384,), (256, 1, 1, 2, 0, 0), True),
    (1, 16, (18432, 20480), (384, 1, 1, 2, 0, 0), True),
    (1, 16, (24576,), (384, 1, 1, 2, 0, 1), True),
    (1, 16, (28672,), (384, 1, 1, 2, 0, 1), False),
    (1, 16, (28928,), (128, 1, 1, 2, 0, 1), False),
    (2, 16, (1024,), (128, 2, 4, 8, 1, 1), True),
    (2, 16, (2048,), (128, 2, 4, 4, 1, 1), True),
    (2, 16, (4096,), (128, 2, 1, 8, 1, 1), True),
    (2, 16, (5120, 6144), (128, 2, 1, 8, 0, 1), True),
    (2, 16, (8192,), (384, 1, 1, 4, 0, 0), True),
    (2, 16, (10240,), (256, 1, 1, 4, 0, 0), True),
    (2, 16, (12288,), (384, 1, 1, 4, 0, 0), True),
    (2, 16, (16384, 18432, 20480), (384, 1, 1, 2, 0, 0), True),
    (1, 32, (1024,), (128, 2, 4, 4, 1, 1), True),
    (1, 32, (4096,), (128, 2, 1, 4, 0, 1), True),
    (1, 32, (8192,), (128, 2, 1, 2, 0, 0), True),
)


@pytest.mark.parametrize(
    ("sums", "bits", "columns", "expected", "good"),
    [(sums, bits, h, *rest) for sums, bits, all_columns, *rest in SPECIALIZED for h in all_columns],
)
def test_warp_specialized_parameters(sums, bits, columns, expected, good):
    found, is_good = specialized(Shape(16384, columns, bits, sums))
    assert (found, is_good) == (Specialized(*expected[:4], bool(expected[4]), bool(expected[5])), good)


@pytest.mark.parametrize(("sums", "bits", "columns"), [(1, 16, 32768), (2, 16, 24576), (2, 16, 32768), (1, 32, 16384)])
def test_no_good_warp_specialized_parameters(sums, bits, columns):
    assert not specialized(Shape(16384, columns, bits, sums))[1]


def test_rows_that_no_group_divides():
    assert specialized(Shape(2049, 8192, 16, 1))[0].rows == 1


def test_registers():
    assert [registers_per_thread(threads) for threads in (256, 384, 512)] == [255, 168, 128]
    assert [share_registers(threads) for threads in (128, 256, 384)] == [(38, 255), (40, 232), (32, 160)]
    assert Specialized(256, 1, 1, 2, False, False).registers == (40, 232)
    assert Specialized(384, 1, 1, 2, False, False).registers == (32, 160)
    assert Specialized(128, 1, 1, 2, False, True).registers is None


#: Sums, columns: threads, accesses of each, blocks, registers (None: not in the table), on 132 multiprocessors.
MULTI_WAVE = (
    (1, 1024, (128, 1, 1056, None)),
    (1, 2048, (128, 2, 1056, None)),
    (1, 4096, (128, 4, 528, None)),
    (1, 8192, (256, 4, 396, 80)),
    (1, 16384, (512, 4, 132, 128)),
    (1, 32768, (512, 8, 132, None)),
    (2, 4096, (128, 4, 528, None)),
    (2, 8192, (256, 4, 264, 128)),
    (2, 16384, (512, 4, 132, None)),
    (2, 24576, (256, 12, 132, 255)),
)


@pytest.mark.parametrize(("sums", "columns", "expected"), MULTI_WAVE)
def test_multi_wave_parameters(sums, columns, expected):
    found = multi_wave(Shape(16384, columns, 16, sums), 132)
    threads, batch, blocks, registers = expected
    assert found == MultiWave(threads, batch, blocks, registers or found.registers)


def test_multi_wave_has_no_room_for_long_rows():
    assert multi_wave(Shape(16384, 32768, 16, 2), 132) is None
    assert multi_wave(Shape(16384, 57344 + 8, 16, 1), 132) is None


@pytest.mark.parametrize(
    ("sums", "rows", "columns", "options", "schedule"),
    [
        (1, 592, 4096, {}, "multi-wave"),
        (1, 593, 4096, {}, "warp-specialized"),
        (2, 2368, 4096, {}, "multi-wave"),
        (2, 2369, 4096, {}, "warp-specialized"),
        (1, 16384, 1023, {}, "multi-wave"),
        (1, 16384, 1028, {}, "multi-wave"),
        (1, 16384, 24576, {}, "warp-specialized"),
        (1, 16384, 28672, {}, "multi-wave"),
        (1, 16384, 28672, {"forced": True}, "warp-specialized"),
        (1, 16384, 4096, {"is_aligned": False, "forced": True}, "multi-wave"),
        (1, 16384, 4096, {"arch": 9}, "multi-wave"),
        (1, 16384, 4096, {"arch": 9, "forced": True}, "warp-specialized"),
    ],
)
def test_the_schedule_on_a_b200(sums, rows, columns, options, schedule):
    assert schedule_of(Shape(rows, columns, 16, sums), 148, options.pop("arch", 10), **options)[0] == schedule


def test_as_a_policy():
    plan = norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", policy="nvfuser")
    assert plan.schedule == "multi-wave"
    assert "- nvFuser's rule: warps are specialized from compute capability 10 on, and this is 9" in plan.explain()
