"""constexpr and constexpr_function on the host."""

import copy
import pickle
import subprocess
import sys

import pytest

from hocket import language as gl


def test_operators_wrap_their_result():
    x = gl.constexpr(7)
    for result, expected in [(x + 1, 8), (1 + x, 8), (x // 2, 3), (10 - x, 3), (x**2, 49), (x << 1, 14), (-x, -7)]:
        assert isinstance(result, gl.constexpr)
        assert result.value == expected
    assert (x < 8).value is True
    assert bool(x == 7)
    assert not x != 7


def test_wrapping_twice_is_wrapping_once():
    assert gl.constexpr(gl.constexpr(3)).value == 3


def test_a_constexpr_behaves_as_its_value():
    assert list(range(gl.constexpr(3))) == [0, 1, 2]
    assert float(gl.constexpr(2)) == 2.0
    assert gl.constexpr([1, 2])[1] == 2
    assert gl.constexpr(gl.float16).itemsize == 2
    assert {gl.constexpr(3): "a"}[gl.constexpr(3)] == "a"
    with pytest.raises(AttributeError):
        _ = gl.constexpr(3).nothing


def test_copies_and_pickles():
    x = gl.constexpr([1, 2])
    assert copy.deepcopy(x).value == [1, 2]
    assert pickle.loads(pickle.dumps(x)).value == [1, 2]


def test_annotation_may_name_a_type():
    assert gl.constexpr[int] is gl.constexpr


def test_constexpr_function_unwraps_on_the_host():
    @gl.constexpr_function
    def double(x):
        """Twice."""
        assert not isinstance(x, gl.constexpr)
        return 2 * x

    assert double(gl.constexpr(4)) == 8
    assert double(x=4) == 8
    assert double.__doc__ == "Twice."
    assert gl.constexpr_function(double) is double


@gl.constexpr_function
def half_of(x):
    return x // 2


def test_constexpr_function_in_a_kernel(emit):
    def kernel(N: gl.constexpr):
        gl.static_assert(half_of(N) == 16)
        gl.static_assert(half_of(x=N + 2) == 17)

    emit(kernel, N=32)


def test_builtins_refuse_the_host():
    with pytest.raises(RuntimeError, match=r"^gl\.load can only be used inside a @hocket\.jit kernel$"):
        gl.load(None)
    with pytest.raises(RuntimeError, match=r"^gl\.shared_memory_descriptor\.index can only be used"):
        gl.shared_memory_descriptor.index(None, 0)


def test_every_builtin_is_documented():
    undocumented = [name for name in gl.__all__ if not (getattr(gl, name).__doc__ or "").strip()]
    assert set(undocumented) <= {"amd", "extra", "nvidia"} | {
        name for name in undocumented if isinstance(getattr(gl, name), gl.dtype)
    }


def test_importing_does_not_load_slow_modules():
    code = (
        "import sys; from hocket import language; "
        "print([m for m in ('numpy', 'dataclasses', 'inspect', 'typing') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.stdout.strip() == "[]", done.stderr
