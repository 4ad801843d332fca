"""do_bench through the driver's events: on the stand-in, a launch takes one millisecond, flushing caches a second."""

from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import language as gl
from hocket.testing import do_bench


@hocket.jit
def kernel(out):
    gl.store(out, 5.0)


def test_events_measure_the_launches_on_a_cold_cache(driver):
    out = CudaArray(aligned(16))

    def run():
        kernel[(1,)](out)
        kernel[(1,)](out)

    assert do_bench(run, warmup=2004, rep=10020, return_mode="all") == [2.0] * 10
    # Flushing takes a second. Before each run: those that tell how long one takes, that warm up, and that count.
    assert driver.get("memsets") == 5 + 2 + 10
