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

from ... import devices, emulator
from ...errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

#: Largest number of forms in a cache. The cache is cleared when it is full.
MOST_FORMS = 4096


class LaunchCache:
    """Prepared launches of one operation, indexed by the form of a call.

    Args:
        prepare: a function of arrays and settings that checks both, and returns the function that launches for arrays
            of the same form. The returned function must not refer to an array, because the cache would keep the memory
            of the array alive.
        alignment: a power of two, in bytes. Addresses that are equal modulo `alignment` have the same form.
    """

    def __init__(self, prepare: Callable[..., Run], alignment: int = 16):
        self.prepare = prepare
        self.alignment = alignment
        self.known: dict[tuple, Run] = {}

    def find(self, arrays: tuple, settings: tuple) -> Run:
        """Returns `prepare(*arrays, *settings)`, or the cached result of an earlier call with the same form.

        Args:
            arrays: arrays or None. The first one determines where the launch runs.
            settings: hashable values.

        Raises: what `prepare` raises. The form of a call that raises an error is not cached.
        """
        alignment = self.alignment
        key = run = None
        try:
            forms = [None if array is None else form_of(array, alignment) for array in arrays]
            # The types of settings distinguish equal values of which not all are valid, such as 1, 1.0 and True.
            key = (*forms, *settings, *map(type, settings))
            if forms[0][0] < 0:  # type: ignore[index]
                key = (*key, emulator.current_target())
            run = self.known.get(key)
        except (AttributeError, TypeError):
            key = None  # an argument is not an array, or a setting has no hash; `prepare` reports such mistakes
        if run is None:
            run = self.prepare(*arrays, *settings)
            if key is not None:
                if len(self.known) >= MOST_FORMS:
                    self.known.clear()
                self.known[key] = run
        return run


def form_of(array: Any, alignment: int) -> tuple:
    """Returns the properties of an array on which a prepared launch depends. The first one is the ordinal of the
    array's GPU, or -1 for an array of the host. Raises an AttributeError or a TypeError if `array` is not an array."""
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
