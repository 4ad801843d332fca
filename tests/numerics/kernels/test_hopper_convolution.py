"""examples/hopper_convolution.py: strides, padding, dilation, ragged results, under several schedules and on a GPU."""

import hopper_convolution as example
import numpy as np
import pytest

from hocket import emulator


def arrays(images, filters):
    rng = np.random.default_rng(sum(images))
    return rng.standard_normal(images).astype(np.float16), rng.standard_normal(filters).astype(np.float16)


#: (images, filters, options of the convolution, options of the kernel)
CASES = {
    "same size": ((2, 9, 11, 64), (64, 3, 3, 64), {"pad": 1}, {}),
    "no padding": ((3, 8, 8, 64), (64, 3, 3, 64), {}, {}),
    "two parts of channels": ((1, 8, 8, 128), (64, 3, 3, 128), {"pad": 1}, {}),
    "every second pixel": ((2, 15, 14, 64), (64, 3, 3, 64), {"stride": 2, "pad": 1}, {}),
    "dilated": ((2, 12, 10, 64), (64, 3, 3, 64), {"pad": 2, "dilation": 2}, {}),
    "one tap": ((2, 8, 9, 64), (64, 1, 1, 64), {}, {}),
    "long taps": ((2, 10, 10, 64), (64, 1, 5, 64), {"pad": 2}, {}),
    "more filters than a tile": ((1, 8, 8, 64), (96, 3, 3, 64), {"pad": 1}, {}),
    "other tiles": ((2, 9, 9, 64), (128, 3, 3, 64), {"pad": 1}, {"bm": 64, "bn": 128, "bk": 32, "stages": 3}),
}


@pytest.mark.parametrize("case", CASES)
def test_convolutions(hopper_device, case):
    images_shape, filters_shape, how, tiles = CASES[case]
    images, filters = arrays(images_shape, filters_shape)
    results = hopper_device.to_device(np.zeros(example.result_shape(images, filters, **how), np.float16))
    example.convolution(hopper_device.to_device(images), hopper_device.to_device(filters), results, **how, **tiles)()
    expected = example.reference(images, filters, **how)
    np.testing.assert_allclose(hopper_device.to_host(results), expected, atol=0.05, rtol=2e-3)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(seed, completion):
    images, filters = arrays((2, 9, 7, 64), (64, 3, 3, 64))
    results = np.zeros(example.result_shape(images, filters, pad=1), np.float16)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        example.convolution(images, filters, results, pad=1)()
    np.testing.assert_allclose(results, example.reference(images, filters, pad=1), atol=0.05, rtol=2e-3)
