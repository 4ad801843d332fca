"""Output of kernels, and failed assertions: the GPU code writes them to memory, and the host reads them."""

import numpy as np
import pytest
from stand_in import GFX942, GFX950

import hocket
from hocket import _core
from hocket import language as gl

LINE_BYTES = 3 * 8 + 8  # of a record with one value


@hocket.jit
def show(x, n, SIZE: gl.constexpr, HEX: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(2)
    gl.device_print("x:", gl.load(x + gl.arange(0, SIZE, layout=layout)), n, hex=HEX)
    if gl.program_id(0) == 1:
        print("100% from block", gl.program_id(0))


@hocket.jit
def say_in_a_loop(n):
    for i in range(n):
        print("step", i)


@hocket.jit
def say_or_fail(n):
    print("n is", n)
    assert n < 0, "n must be negative"


@hocket.jit
def far(x, n):
    i = (gl.program_id(0) + 2) * n
    gl.store(x + i, gl.load(x + i))


def printed(hip, capfd, device=GFX942):
    """Returns the output of the launches so far: standard output and standard error."""
    _core.synchronize(device)
    return capfd.readouterr()


@pytest.mark.parametrize("ordinal", [GFX942, GFX950])
def test_lines_are_those_of_the_emulator(hip, capfd, ordinal):
    values = np.arange(4, dtype=np.float32) / 2
    with hocket.emulator.target("gfx950"):
        show[(2,)](values, -7, SIZE=4, HEX=False)
    expected = capfd.readouterr().out
    assert expected.splitlines()[1] == "block (0, 0, 0), warp 0, lane 0: [1] x: 0.5 -7"
    assert "100% from block 1" in expected
    show[(2,)](hip.array(values, ordinal), -7, SIZE=4, HEX=False)
    assert capfd.readouterr().out == ""  # the host has not been there yet
    assert printed(hip, capfd, ordinal).out == expected


@pytest.mark.parametrize(("value", "text", "bits"), [(-(2**62), "-4611686018427387904", "0xc000000000000000")])
def test_wide_numbers(hip, capfd, value, text, bits):
    x = hip.array(np.full(2, value, np.int64))
    for is_hex, shown in ((False, text), (True, bits)):
        show[(1,)](x, 5, SIZE=2, HEX=is_hex)
        assert printed(hip, capfd).out.splitlines()[0].split()[-2] == shown


def test_memory_is_used_again(hip, capfd):
    for _ in range(3):
        say_in_a_loop[(1,)](2)
        assert len(printed(hip, capfd).out.splitlines()) == 2
    before = hip.stand_in_host_allocations()
    say_in_a_loop[(1,)](1)
    say_in_a_loop[(1,)](1)  # the first has not been read: each has memory of its own
    assert len(printed(hip, capfd).out.splitlines()) == 2
    assert hip.stand_in_host_allocations() <= before + 1
    say_in_a_loop[(1,)](1)
    say_in_a_loop[(1,)](1)
    assert hip.stand_in_host_allocations() <= before + 1
    printed(hip, capfd)


def test_lines_that_find_no_room_are_counted(hip, capfd):
    room = (2**20 - 4096 - 64) // LINE_BYTES
    say_in_a_loop[(1,)](room + 5)
    *lines, last = printed(hip, capfd).out.splitlines()
    assert len(lines) == room
    assert lines[-1] == f"block (0, 0, 0), warp 0, lane 0: step {room - 1}"
    assert last == "(5 more lines were dropped; a launch can print up to 1024 KiB)"
    say_in_a_loop[(1,)](1)
    assert printed(hip, capfd).out == "block (0, 0, 0), warp 0, lane 0: step 0\n"


def test_a_failing_assertion(hip, capfd):
    say_or_fail[(1,)](3, debug=True)
    with pytest.raises(hocket.LaunchError) as caught:
        _core.synchronize(GFX942)
    place = f"{__file__}:{say_or_fail.fn.__code__.co_firstlineno + 3}:4"
    message = str(caught.value)
    assert message.startswith("kernel 'say_or_fail' failed:\n")
    assert "error: device assertion failed: n must be negative" in message
    assert place.rsplit("/", 1)[-1].rsplit(":", 1)[0] in message
    assert "at:" in message
    assert "block (0, 0, 0), warp 0, lane 0" in message
    assert "assert n < 0" in message  # the source line
    text = capfd.readouterr()
    assert text.out == "block (0, 0, 0), warp 0, lane 0: n is 3\n"
    assert text.err == message + "\n"
    _core.synchronize(GFX942)  # said once
    say_or_fail[(1,)](-1, debug=True)
    assert printed(hip, capfd).err == ""


def test_the_next_launch_says_so_too(hip, capfd):
    say_or_fail[(1,)](3, debug=True)
    hip.hipDeviceSynchronize()  # as others do
    with pytest.raises(hocket.LaunchError, match="n must be negative"):
        say_in_a_loop[(1,)](1)
    say_in_a_loop[(1,)](1)
    printed(hip, capfd)


def test_an_index_that_overflows(hip, capfd):
    far[(1,)](hip.array(np.zeros(4, np.float32)), 2**30, debug=True)
    with pytest.raises(hocket.LaunchError) as caught:
        _core.synchronize(GFX942)
    message = str(caught.value)
    assert "error: an index overflows 32 bits" in message
    assert "(gl.program_id(0) + 2) * n" in message
    assert "value:  2147483648, whose low 32 bits are -2147483648" in message
    assert "block (0, 0, 0)" in message


def test_what_hip_refuses(hip, capfd):
    for function, doing in [
        ("hipHostMalloc", "allocating memory for a kernel's messages"),
        ("hipLaunchHostFunc", "queueing the reader of a kernel's messages"),
    ]:
        for _ in range(2):  # the memory of earlier launches is in use
            say_in_a_loop[(1,)](1)
        hip.fail(function, 999)
        with pytest.raises(hocket.LaunchError) as caught:
            for _ in range(10):
                say_in_a_loop[(1,)](1)
        assert str(caught.value).startswith(f"{doing} failed: the stand-in was told to fail")
        printed(hip, capfd)


def test_a_stream_that_is_captured(hip):
    hip.stand_in_capture(1)
    try:
        with pytest.raises(hocket.LaunchError, match="prints or asserts, so it cannot be captured in a graph"):
            say_in_a_loop[(1,)](1)
    finally:
        hip.stand_in_capture(0)


def test_kernels_without_messages_have_no_argument_for_them(hip):
    kernel = far[(1,)](hip.array(np.zeros(4, np.float32)), 0)
    assert (kernel.metadata.implicit_arguments, kernel.metadata.messages) == ([], [])
    assert len(hip.last_kernel[".args"]) == 2
