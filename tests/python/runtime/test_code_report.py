"""kernel.report(): instruction counts of a compiled kernel, its resources and its warnings."""

import pytest

import hocket
from hocket import language as gl
from hocket.errors import HocketError
from hocket.isa.counts import count_loops
from hocket.reports.code import CodeReport


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
    report = CodeReport("kernel", "gfx942", "amd", {"registers_spilled": 3}, None, [loop])
    assert report.warnings == [
        "3 registers spilled",
        "the hottest loop accesses scratch memory 1 times a trip: registers are spilled, or arrays indexed, in it",
    ]


def test_there_is_no_model_of_nvidia_gpus():
    report = compiled(True, "sm_90a").report()
    assert report.schedule is None
    assert report.as_dict()["schedule"] is None
    assert "model" not in str(report)
    with pytest.raises(ValueError, match="there is no model of the schedule to draw: it is of AMD GPUs only"):
        report.draw_schedule()
