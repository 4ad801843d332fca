"""do_bench through HIP's events: on the stand-in, a launch takes one millisecond."""

import numpy as np
from kernels import add

from hocket.testing import do_bench


def test_events_measure_the_launches(hip):
    arrays = [hip.array(np.zeros(64, np.float32)) for _ in range(3)]

    def run():
        for _ in range(2):
            add[(1,)](*arrays, 64, BLOCK=64)

    assert do_bench(run, warmup=4, rep=20, return_mode="all") == [2.0] * 10
