"""`triton.knobs`: hooks of launches and compilations as Triton's programs set them; settings without an effect."""

import warnings

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.compat import functions
from hocket.compat.gpu_targets import GPUTarget
from hocket.compat.namespaces import knobs


def flops(grid, metadata, arguments):
    return {"name": f"{metadata.name}_{arguments['n']}", "flops32": 2 * grid[0] * arguments["n"]}


@hocket.jit(launch_metadata=flops)
def kernel(out, n):
    gl.store(out + gl.program_id(0), n)


@hocket.jit
def plain(out):
    gl.store(out, 1)


@functions.jit
def fill(out, n, SIZE: gl.constexpr):
    gl.store(out + gl.arange(0, SIZE, gl.row_layout()), n)


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


@pytest.mark.filterwarnings("ignore:triton.knobs.runtime.debug has no effect")
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


def test_the_exit_hook_added_last_is_called_first():
    seen = []
    with knobs.runtime.scope():
        for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
            chain.add(lambda metadata: seen.append("first"))
            chain.add(lambda metadata: seen.append("second"))
        plain[(1,)](np.zeros(1, np.int32))
    assert seen == ["first", "second", "second", "first"]


def test_a_pre_run_hook_gets_the_arguments():
    seen, out = [], np.zeros(64, np.int32)

    @functions.jit
    def hooked(out, n, SIZE: gl.constexpr):
        gl.store(out + gl.arange(0, SIZE, gl.row_layout()), n)

    hooked.add_pre_run_hook(lambda *args, **kwargs: seen.append((args, kwargs["num_warps"], int(out[0]))))
    hooked[(1,)](out, 3, SIZE=64, num_warps=2)
    fill[(1,)](out, 4, SIZE=64)
    hocket.hooks.launch_enter.remove(hooked._call_pre_run_hooks)
    assert len(seen) == 1
    (array, n, size), num_warps, before = seen[0]
    assert array is out and (n, size, num_warps, before) == (3, 64, 2, 0)


def test_a_listener_gets_source_facts_and_times():
    calls = []
    with knobs.compilation.scope():
        knobs.compilation.listener = lambda **arguments: calls.append(arguments)
        kernel = fill.warmup(gl.float16, 7, SIZE=64, target="gfx950", num_warps=2)
        fill.warmup(gl.float16, 9, SIZE=64, target="gfx950", num_warps=2)  # the same specialization
    fill.warmup(gl.float16, 7, SIZE=32, target="gfx950")
    assert len(calls) == 1
    call = calls[0]
    assert set(call) == {"src", "metadata", "metadata_group", "times", "cache_hit"} and call["cache_hit"] is False
    source = call["src"]
    assert source.fn is fill and source.constexprs == {(2,): 64}
    assert source.signature == {"out": "*fp16", "n": "i32", "SIZE": "constexpr"}
    metadata = call["metadata"]
    assert metadata["target"] == GPUTarget("hip", "gfx950", 64)
    assert (metadata["name"], metadata["num_warps"], metadata["shared"]) == ("fill", 2, kernel.metadata.shared)
    times = call["times"]
    assert "hocket-allocate-memory" in dict(times.lowering_stages)
    assert times.ir_initialization > 0 and times.total >= times.ir_initialization + times.total_lowering


def test_specialization_hooks_are_called_around_a_compilation():
    calls = []

    def hook(kind, result=None):
        def call(**arguments):
            calls.append((kind, arguments))
            return result

        return call

    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = hook("cache")
        knobs.runtime.jit_post_compile_hook = hook("post")
        knobs.compilation.listener = lambda **arguments: calls.append(("listener", arguments))
        fill.warmup(gl.float32, 7, SIZE=64, target="sm_90a", num_warps=8)
        knobs.compilation.listener = None
        knobs.runtime.jit_cache_hook = None
        fill[(1,)](np.zeros(16, np.float32), 7, SIZE=16)
    assert [kind for kind, _ in calls] == ["cache", "post", "listener", "post"]
    cache, post, launched = calls[0][1], calls[1][1], calls[3][1]
    assert cache == post
    assert cache["fn"] == (__name__, "fill", fill) and cache["already_compiled"] is False
    assert cache["compile"]["signature"] == {"out": "*fp32", "n": "i32", "SIZE": "constexpr"}
    assert cache["compile"]["constants"] == {(2,): 64} and cache["compile"]["num_warps"] == 8
    assert cache["repr"].startswith("fill[num_warps=8, num_ctas=1, ")
    assert cache["key"] != launched["key"]
    assert (cache["is_manual_warmup"], launched["is_manual_warmup"]) == (True, False)
    assert len(hocket.hooks.compilation) == len(hocket.hooks.compilation_enter) == 0


def test_a_cache_hook_that_refuses_warns():
    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = lambda **arguments: True
        with pytest.warns(UserWarning, match="fill: a jit_cache_hook that returns True does not prevent Hocket from"):
            fill.warmup(gl.int8, 7, SIZE=64, target="gfx950")


def test_settings_without_an_effect_warn_once():
    with knobs.nvidia.scope(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        knobs.nvidia.disable_ptxas_opt = None  # its value already
        assert not caught
        knobs.nvidia.disable_ptxas_opt = True
        knobs.nvidia.disable_ptxas_opt = False
        assert knobs.nvidia.disable_ptxas_opt is False
        knobs.runtime.launch_enter_hook = None
        knobs.autotuning.print = False
    assert [str(warning.message) for warning in caught] == [
        "triton.knobs.nvidia.disable_ptxas_opt has no effect in Hocket"
    ]
    assert knobs.nvidia.disable_ptxas_opt is None
