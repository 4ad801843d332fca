"""Resources of a block by target: a kernel that needs more is an error before its launch."""

import inspect
import linecache
import pathlib

import pytest
from positions import relative

import hocket
from hocket import language as gl


@hocket.jit
def empty():
    pass


@hocket.jit
def large_buffer(out):
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [256, 256], shared)
    tile = buffer.load(gl.BlockedLayout([1, 4], [1, 64], [4, 1], [1, 0]))
    gl.store(out, gl.max(tile))


@pytest.mark.parametrize(("target", "most", "lanes"), [("sm_80", 32, 32), ("gfx950", 16, 64)])
def test_num_warps(target, most, lanes):
    empty.warmup(num_warps=most, target=target)
    with pytest.raises(hocket.OutOfResources) as caught:
        empty.warmup(num_warps=2 * most, target=target)
    assert str(caught.value) == (
        f"num_warps={2 * most} makes 2048 threads, but a block on {target} has at most 1024 "
        f"(warps have {lanes} lanes)\n"
        f"  hint: use num_warps={most} or less"
    )


def test_shared_memory(monkeypatch):
    monkeypatch.chdir(pathlib.Path(__file__).parent)
    with pytest.raises(hocket.OutOfResources) as caught:
        large_buffer.warmup(gl.float32, target="gfx942")
    assert relative(str(caught.value), __file__, "large_buffer") == (
        "test_resources.py:+2:14: error: "
        "the kernel needs 262160 bytes of shared memory, but a block on gfx942 has 65536\n"
        "   +2 |     buffer = gl.allocate_shared_memory(gl.float32, [256, 256], shared)\n"
        f"      |              ^{'~' * 56}\n"
        "  262144 bytes for a buffer at test_resources.py:+2\n"
        "  16 bytes for the scratch space of reduce at test_resources.py:+4\n"
        "  hint: use smaller tiles or fewer buffers; buffers that are never in use together share memory"
    )
    error = caught.value
    assert (error.filename, error.column) == (__file__, 14)
    assert error.lineno == large_buffer.fn.__code__.co_firstlineno + 3  # the first line is the decorator
    assert error.message == "the kernel needs 262160 bytes of shared memory, but a block on gfx942 has 65536"
    assert error.hint == "use smaller tiles or fewer buffers; buffers that are never in use together share memory"


def test_shared_memory_in_a_notebook():
    source = inspect.getsource(large_buffer.fn)
    linecache.cache["<cell 7>"] = (len(source), None, source.splitlines(keepends=True), "<cell 7>")
    scope = {"hocket": hocket, "gl": gl}
    exec(compile(source, "<cell 7>", "exec"), scope)
    with pytest.raises(hocket.OutOfResources) as caught:
        scope["large_buffer"].warmup(gl.float32, target="gfx942")
    assert str(caught.value).splitlines()[:2] == [
        "<cell 7>:4:14: error: the kernel needs 262160 bytes of shared memory, but a block on gfx942 has 65536",
        "    4 |     buffer = gl.allocate_shared_memory(gl.float32, [256, 256], shared)",
    ]
