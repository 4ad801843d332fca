"""hocket.testing: timing and comparing."""

import ml_dtypes
import numpy as np
import pytest

from hocket.testing import assert_close, do_bench


class TestDoBench:
    def test_counts_and_modes(self):
        calls = []
        times = do_bench(lambda: calls.append(1), warmup=0.01, rep=0.02, return_mode="all")
        assert len(times) >= 5
        assert len(calls) > len(times)
        assert all(time >= 0 for time in times)

    def test_quantiles(self):
        low, high = do_bench(lambda: None, warmup=0.01, rep=0.02, quantiles=[0.0, 1.0])
        assert low <= high

    def test_unknown_mode(self):
        with pytest.raises(ValueError, match="return_mode is one of mean, median, min, max, all, not 'mode'"):
            do_bench(lambda: None, return_mode="mode")


class TestAssertClose:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, np.int32, np.bool_])
    def test_equal_arrays(self, dtype):
        x = np.arange(16).astype(dtype)
        assert_close(x, x.copy())

    def test_one_unit_in_the_last_place(self):
        x = np.linspace(1, 2, 100, dtype=np.float32)
        assert_close(np.nextafter(x, np.float32(3)), x)
        with pytest.raises(AssertionError):
            assert_close(x * np.float32(1 + 1e-5), x)

    def test_the_less_precise_type_counts(self):
        x = np.linspace(1, 2, 100)
        assert_close(x.astype(ml_dtypes.bfloat16), x)
        with pytest.raises(AssertionError):
            assert_close(x.astype(ml_dtypes.bfloat16), x, rtol=1e-6, atol=0)

    def test_integers_must_be_equal(self):
        with pytest.raises(AssertionError):
            assert_close(np.array([1, 2]), np.array([1, 3]))

    def test_nan_agrees_with_nan(self):
        assert_close(np.array([np.nan, 1.0]), np.array([np.nan, 1.0]))
        with pytest.raises(AssertionError):
            assert_close(np.array([np.nan]), np.array([1.0]))

    def test_shapes(self):
        with pytest.raises(AssertionError, match=r"shapes differ: \(2,\) and \(3,\)"):
            assert_close(np.zeros(2), np.zeros(3))
