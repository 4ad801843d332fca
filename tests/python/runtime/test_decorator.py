"""Wrong uses of `@hocket.jit`."""

import functools

import pytest

import hocket


def kernel(x):
    pass


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def message_of(decorate):
    with pytest.raises(TypeError) as caught:
        decorate()
    return str(caught.value)


def test_a_wrapper_of_another_decorator():
    place = f"{hocket.errors.shown_path(__file__)}:{traced.__code__.co_firstlineno + 1}"
    assert message_of(lambda: hocket.jit(traced(kernel))) == (
        f"hocket.jit would compile the wrapper that another decorator has put around kernel ({place} in "
        "wrapper)\n  hint: put @hocket.jit directly above `def`, below the other decorators"
    )


def test_options_of_a_launch():
    assert message_of(lambda: hocket.jit(num_warps=8)) == (
        "hocket.jit has no option `num_warps`\n  hint: it is an option of the launch: kernel[grid](..., num_warps=8)"
    )


def test_unknown_option():
    assert message_of(lambda: hocket.jit(kernel, debgu=True)) == (
        "hocket.jit has no option `debgu`\n  hint: it takes version, repr, launch_metadata, do_not_specialize, "
        "do_not_specialize_on_alignment, debug, noinline"
    )


def test_decorated_twice():
    assert message_of(lambda: hocket.jit(hocket.jit(kernel))) == "kernel is decorated with hocket.jit twice"


def test_static_method():
    assert message_of(lambda: hocket.jit(staticmethod(kernel))) == (
        "hocket.jit takes a function, not a staticmethod\n  hint: write @staticmethod above @hocket.jit"
    )


def test_class():
    assert message_of(lambda: hocket.jit(int)) == ("hocket.jit takes a function defined with `def`, not <class 'int'>")


def test_kernel_launched_as_a_method():
    class Model:
        @hocket.jit
        def kernel(self, x, n):
            pass

    with pytest.raises(hocket.LaunchError) as caught:
        Model().kernel[(1,)](1, 2)
    assert str(caught.value) == (
        "kernel() is missing 1 argument: `n`\n  hint: a kernel is launched without an object: make it a function of "
        "the module, or drop `self`"
    )
