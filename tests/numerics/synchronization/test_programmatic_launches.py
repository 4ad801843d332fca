"""Launches that begin before those ahead of them on the stream have ended: launch_pdl=True."""

import warnings

import numpy as np
import pytest

import hocket
from hocket import language as gl

SIZE, BLOCKS, LINKS = 256, 64, 20


@hocket.jit
def add_neighbor(x, out, SIZE: gl.constexpr, BLOCKS: gl.constexpr, SIGNALS: gl.constexpr):
    """out[b] = x[b] + x[b + 1] + 1, by rows. Reads what any block of the launch ahead may have written."""
    layout: gl.constexpr = gl.row_layout()
    i, block = gl.arange(0, SIZE, layout=layout), gl.program_id(0)
    if SIGNALS:
        gl.extra.cuda.gdc_launch_dependents()
    gl.extra.cuda.gdc_wait()
    total = gl.load(x + block * SIZE + i) + gl.load(x + (block + 1) % BLOCKS * SIZE + i)
    gl.store(out + block * SIZE + i, total + 1)


@pytest.mark.parametrize("programmatic", [False, True])
@pytest.mark.parametrize("signals", [False, True])
def test_a_chain_of_launches(device, programmatic, signals):
    x = np.random.default_rng(0).integers(-9, 9, (BLOCKS, SIZE))
    buffers = [device.to_device(x), device.to_device(np.zeros_like(x))]
    for link in range(LINKS):
        add_neighbor[(BLOCKS,)](
            buffers[link % 2],
            buffers[(link + 1) % 2],
            SIZE=SIZE,
            BLOCKS=BLOCKS,
            SIGNALS=signals,
            launch_pdl=programmatic,
        )
        x = x + np.roll(x, -1, axis=0) + 1
    np.testing.assert_array_equal(device.to_host(buffers[LINKS % 2]), x)


def test_loads_stay_behind_the_wait():
    """The compiler must not move reads before the wait, nor reuse values that were read before it."""

    @hocket.jit
    def read_twice(x, out):
        i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
        before = gl.load(x + i)
        gl.extra.cuda.gdc_wait()
        gl.store(out + i, gl.load(x + i) - before)
        gl.extra.cuda.gdc_launch_dependents()

    ptx = read_twice.warmup(gl.float32, gl.float32, target="sm_90a", launch_pdl=True).asm["ptx"]
    events = [
        next(name for name in ("ld.global", "st.global", "griddepcontrol") if name in line)
        + (line.rsplit("griddepcontrol", 1)[1].strip(" ;\t") if "griddepcontrol" in line else "")
        for line in ptx.splitlines()
        if any(name in line for name in ("ld.global", "st.global", "griddepcontrol"))
    ]
    assert events == ["ld.global", "griddepcontrol.wait", "ld.global", "st.global", "griddepcontrol.launch_dependents"]


@hocket.jit
def forgets_to_wait(x, out):
    i = gl.arange(0, 128, layout=gl.row_layout())
    gl.extra.cuda.gdc_launch_dependents()
    gl.store(out + i, gl.load(x + i))


def test_a_kernel_that_never_waits_is_warned_of():
    """Only the code shows this mistake: the emulator runs launches in order, and on a GPU the result is usually
    right."""
    x, out = np.arange(128.0, dtype=np.float32), np.zeros(128, np.float32)
    line = forgets_to_wait.fn.__code__.co_firstlineno + 4
    with hocket.emulator.target("sm_90a"), pytest.warns(hocket.CompileWarning) as raised:
        forgets_to_wait[(1,)](x, out, launch_pdl=True)
    text = str(raised[0].message)
    assert raised[0].filename.endswith("test_programmatic_launches.py") and raised[0].lineno == line
    assert (
        "lets this kernel begin before the preceding launch has ended, but the kernel never waits for that launch"
        in text
    )
    assert "hint: call gl.extra.cuda.gdc_wait() before it accesses memory of the preceding launch" in text
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("options, target", [({}, "sm_90a"), ({"launch_pdl": True}, "sm_80")], ids=str)
def test_where_nothing_overlaps_nothing_is_warned_of(options, target):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forgets_to_wait.warmup(gl.float32, gl.float32, target=target, **options)


@pytest.mark.parametrize("target, artifact", [("sm_80", "ptx"), ("gfx942", "amdgcn"), ("gfx950", "amdgcn")])
def test_where_launches_never_overlap_there_is_nothing_to_do(target, artifact):
    kernel = add_neighbor.warmup(
        gl.int64, gl.int64, SIZE=SIZE, BLOCKS=BLOCKS, SIGNALS=True, launch_pdl=True, target=target
    )
    assert "griddep" not in kernel.asm["lane"] + kernel.asm[artifact]


def test_captured_graphs(device):
    """Launches are captured into CUDA graphs, the first one of a kernel too, and options with them."""
    if not device.is_gpu or device.name != "cuda":
        pytest.skip("needs CUDA's graphs")
    import torch

    @hocket.jit
    def scale(x, out, SIZE: gl.constexpr):
        layout: gl.constexpr = gl.row_layout()
        i = gl.program_id(0) * SIZE + gl.arange(0, SIZE, layout=layout)
        gl.extra.cuda.gdc_wait()
        gl.store(out + i, gl.load(x + i) * 2 + 1)

    x, between, out = (torch.zeros(BLOCKS * SIZE, device="cuda") for _ in range(3))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scale[(BLOCKS,)](x, between, SIZE=SIZE)
        scale[(BLOCKS,)](between, out, SIZE=SIZE, launch_pdl=True)
    assert (out == 0).all()
    for value in range(3):
        x.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        assert (out == 4 * value + 3).all()
