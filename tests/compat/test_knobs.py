"""`triton.knobs`: launch hooks as Triton's programs set them."""

import numpy as np

import hocket
from hocket import language as gl
from hocket.compat.namespaces import knobs


def flops(grid, metadata, arguments):
    return {"name": f"{metadata.name}_{arguments['n']}", "flops32": 2 * grid[0] * arguments["n"]}


@hocket.jit(launch_metadata=flops)
def kernel(out, n):
    gl.store(out + gl.program_id(0), n)


@hocket.jit
def plain(out):
    gl.store(out, 1)


def launch_both():
    kernel[(3,)](np.zeros(3, np.int32), 5)
    plain[(1,)](np.zeros(1, np.int32))


def test_hooks_get_the_metadata():
    seen = []

    def enter(metadata):
        seen.append(metadata.get())

    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_enter_hook.add(enter)  # Triton calls a function once
    try:
        launch_both()
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
    launch_both()
    assert seen == [
        {"name": "kernel_5", "function": kernel, "stream": 0, "flops32": 30},
        {"name": "plain", "function": plain, "stream": 0},
    ]
    assert len(hocket.hooks.launch_enter) == 0


def test_hooks_are_assigned_and_restored():
    seen = []
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = lambda metadata: seen.append("enter")
        knobs.runtime.launch_exit_hook = lambda metadata: seen.append("exit")
        knobs.runtime.debug = True
        plain[(1,)](np.zeros(1, np.int32))
        knobs.runtime.launch_enter_hook = None
        plain[(1,)](np.zeros(1, np.int32))
    plain[(1,)](np.zeros(1, np.int32))
    assert seen == ["enter", "exit", "exit"]
    assert knobs.runtime.debug is False and not knobs.runtime.launch_exit_hook.functions()
    assert len(hocket.hooks.launch_enter) == len(hocket.hooks.launch_exit) == 0
