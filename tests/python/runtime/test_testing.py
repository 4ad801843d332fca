"""hocket.testing: timing by the host's clock, and comparing. stand_ins/*/test_timing.py time by a GPU's events."""

import types

import ml_dtypes
import numpy as np
import pytest

from hocket.testing import assert_close, bench, do_bench


class Workload:
    """A function that takes `times` milliseconds of its own clock, one after the other; all later calls take the last
    one."""

    def __init__(self, *times):
        self.times = list(times)
        self.calls = 0
        self.now = 0.0

    def __call__(self):
        self.now += self.times[min(self.calls, len(self.times) - 1)]
        self.calls += 1

    def perf_counter(self):
        return self.now / 1e3


@pytest.fixture
def measure(monkeypatch):
    """do_bench on a machine without a GPU, whose clock is that of the workload."""

    def run(workload, **options):
        monkeypatch.setattr(bench, "_core", types.SimpleNamespace(device_count=lambda: 0))
        monkeypatch.setattr(bench, "time", workload)
        return do_bench(workload, **options)

    return run


#: The first call, which compiles, and the five that say how long one takes.
ESTIMATE = (1000, 3, 3, 3, 3, 3)
#: For `warmup=3`, `rep=15`: one call to warm up, then five that count.
UNEVEN = (*ESTIMATE, 1000, 2, 10, 1, 4, 3)


class TestDoBench:
    @pytest.mark.parametrize(
        ("milliseconds", "warmup_calls", "timed_calls"),
        [(2, 2, 10), (4, 1, 5), (100, 1, 5)],  # `fn` is timed five times at least
    )
    def test_calls_follow_the_time_of_one(self, measure, milliseconds, warmup_calls, timed_calls):
        workload = Workload(milliseconds)
        times = measure(workload, warmup=4, rep=20, return_mode="all")
        assert times == pytest.approx([milliseconds] * timed_calls)
        assert workload.calls == 1 + 5 + warmup_calls + timed_calls

    @pytest.mark.parametrize(
        ("mode", "expected"), [("mean", 4), ("median", 3), ("min", 1), ("max", 10), ("all", [2, 10, 1, 4, 3])]
    )
    def test_modes(self, measure, mode, expected):
        assert measure(Workload(*UNEVEN), warmup=3, rep=15, return_mode=mode) == pytest.approx(expected)

    def test_quantiles_interpolate(self, measure):
        times = measure(Workload(*UNEVEN), warmup=3, rep=15, quantiles=[0.5, 0.0, 1.0, 0.25, 0.875])
        assert times == pytest.approx([3, 1, 10, 2, 7])

    def test_gradients_are_dropped_before_each_run(self, measure):
        tensor, seen = types.SimpleNamespace(grad="of before"), []

        class Training(Workload):
            def __call__(self):
                super().__call__()
                seen.append(tensor.grad)
                tensor.grad = "of this run"

        measure(Training(1), warmup=1, rep=5, grad_to_none=[tensor])
        assert seen == ["of before"] + [None] * (5 + 1 + 5)

    def test_unknown_mode(self):
        with pytest.raises(ValueError, match="return_mode is one of mean, median, min, max, all, not 'mode'"):
            do_bench(lambda: None, return_mode="mode")


#: NumPy's text for the number of differences.
ONE_OF_TWO = "Mismatched elements: 1 / 2"


class TestAssertClose:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
    def test_four_units_in_the_last_place_of_the_largest(self, dtype):
        """Two relative to the value, two to the largest one."""
        unit = float(ml_dtypes.finfo(dtype).eps)
        expected = np.ones(2, dtype)
        assert_close(np.array([1, 1 + 4 * unit], dtype), expected)
        with pytest.raises(AssertionError, match=ONE_OF_TWO):
            assert_close(np.array([1, 1 + 5 * unit], dtype), expected)

    @pytest.mark.parametrize("dtype", [np.int32, np.bool_])
    def test_integers_must_be_equal(self, dtype):
        assert_close(np.array([0, 1], dtype), np.array([0, 1], dtype))
        with pytest.raises(AssertionError, match=ONE_OF_TWO):
            assert_close(np.array([0, 0], dtype), np.array([0, 1], dtype))

    def test_the_less_precise_type_counts(self):
        rounded = np.array([1, 1 + 2**-7], ml_dtypes.bfloat16)
        exact = np.array([1, 1 + 2**-6], np.float64)
        assert_close(rounded, exact)
        assert_close(exact, rounded)
        with pytest.raises(AssertionError, match=ONE_OF_TWO):
            assert_close(rounded.astype(np.float64), exact)

    def test_given_tolerances_replace_the_default_ones(self):
        actual, expected = np.array([1.0, 110.0]), np.array([1.0, 100.0])
        assert_close(actual, expected, rtol=0.11, atol=0)
        assert_close(actual, expected, rtol=0, atol=11)
        for tolerance in ({"rtol": 0.09, "atol": 0}, {"rtol": 0, "atol": 9}):
            with pytest.raises(AssertionError, match=ONE_OF_TWO):
                assert_close(actual, expected, **tolerance)

    def test_nan_agrees_with_nan_only(self):
        assert_close(np.array([np.nan, 1.0]), np.array([np.nan, 1.0]))
        with pytest.raises(AssertionError, match="nan location mismatch"):
            assert_close(np.array([np.nan, 1.0]), np.array([1.0, 1.0]))

    def test_shapes(self):
        with pytest.raises(AssertionError, match=r"shapes differ: \(2,\) and \(3,\)"):
            assert_close(np.zeros(2), np.zeros(3))
