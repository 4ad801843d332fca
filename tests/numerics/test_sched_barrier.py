"""gl.sched_barrier changes no result, whatever is named."""

import numpy as np
from test_scan import lanes

import hocket
from hocket import language as gl


@hocket.jit
def kernel(x, y, out, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    total = gl.load(x + i) + gl.load(y + i).to(gl.float32)
    gl.sched_barrier()
    half = total.to(gl.float16) * 2
    gl.sched_barrier(computed=[half, (i, gl.program_id(0)), total.to(gl.float64)])
    gl.store(out + i, half.to(gl.float32) + total)


def test_named_or_not(device):
    x, y = np.arange(1024, dtype=np.float32), np.arange(1024).astype(np.float16)
    out = device.to_device(np.zeros(1024, np.float32))
    layout = gl.BlockedLayout([8], [lanes(device)], [4], [0])
    kernel[(1,)](device.to_device(x), device.to_device(y), out, N=1024, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), (x + y).astype(np.float16) * np.float16(2) + (x + y))
