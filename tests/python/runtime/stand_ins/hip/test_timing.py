"""do_bench through HIP's events: on the stand-in, a launch takes one millisecond, flushing caches a second."""

import numpy as np
from kernels import add

from hocket.testing import do_bench


def test_events_measure_the_launches_on_a_cold_cache(hip):
    arrays = [hip.array(np.zeros(64, np.float32)) for _ in range(3)]

    def run():
        for _ in range(2):
            add[(1,)](*arrays, 64, BLOCK=64)

    assert do_bench(run, warmup=2004, rep=10020, return_mode="all") == [2.0] * 10
    # Flushing takes a second. Before each run: those that tell how long one takes, that warm up, and that count.
    assert hip.stand_in_memsets() == 5 + 2 + 10
