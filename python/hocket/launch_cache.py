"""A cache of prepared launches, for the host side of ready kernels.

A call of a ready kernel checks its arguments, chooses a plan, allocates results and launches. The checks and the plan
depend only on the form of the call: the types, dtypes, shapes, strides, alignments and devices of its arrays, and the
values of its settings. They take much longer than a launch, so each form is prepared once:

    _launches = LaunchCache(_prepare)

    def _prepare(x, weight, operation, schedule):  # arrays, then settings
        ...                                        # checks, plan
        def run(x, weight, eps):                   # allocates the result, launches
            ...
        return run

    run = _launches.find((x, weight), (operation, schedule))
    y = run(x, weight, eps)

Arguments that often change from call to call, such as `eps`, are neither arrays nor settings: `run` takes and checks
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, devices, emulator
from .errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

#: Largest number of forms in a cache. The cache is cleared when it is full.
MOST_FORMS = 4096


class LaunchCache(_core.LaunchCache):
    """Prepared launches of one operation, indexed by the form of a call. `len(cache)` is the number of forms.

    Args:
        prepare: a function of arrays and settings that checks both, and returns the function that launches for arrays
            of the same form. The returned function must not refer to an array, because the cache would keep the memory
            of the array alive.
        alignment: a power of two, in bytes. Addresses that are equal modulo `alignment` have the same form.

    The method `find(arrays, settings)` returns `prepare(*arrays, *settings)`, or the cached result of an earlier call
    with the same form. `arrays` is a tuple of arrays or None; the first array determines where the launch runs.
    `settings` is a tuple of hashable values. `find` raises what `prepare` raises; the form of a call that raises an
    error is not cached. `clear()` removes all forms. Both methods are written in C++
    (csrc/bindings/dispatch/LaunchCache.cpp).
    """

    def __init__(self, prepare: Callable[..., Run], alignment: int = 16):
        super().__init__(prepare, alignment, MOST_FORMS, form_of, emulator.current_target)
        self.prepare, self.alignment = prepare, alignment


def form_of(array: Any, alignment: int) -> tuple:
    """Returns the properties of an array on which a prepared launch depends. The first one is the ordinal of the
    array's GPU, or -1 for an array of the host. Raises an AttributeError or a TypeError if `array` is not an array.

    A LaunchCache reads tensors of PyTorch 2.10 and later itself, and calls this function for all other arrays."""
    try:  # PyTorch
        address = array.data_ptr() % alignment
        return array.get_device(), address, array.dtype, array.shape, array.stride(), type(array)
    except AttributeError:
        return _form_of_other(array, alignment)


def _form_of_other(array: Any, alignment: int) -> tuple:
    """Returns the form of an array of another library than PyTorch."""
    layout = array.dtype, array.shape, array.strides, type(array), getattr(array.flags, "writeable", True)
    if hasattr(type(array), "ctypes"):  # NumPy
        return -1, array.ctypes.data % alignment, *layout
    try:
        ordinal, address = devices.properties(array).ordinal, devices.address_of(array)
    except LaunchError as error:
        raise TypeError(str(error)) from None
    return -1 if ordinal is None else ordinal, address % alignment, *layout
