"""Small kernels, each of which uses one feature of the language. Hocket has a feature if the compiler accepts its
kernel."""

from __future__ import annotations

import functools

from .. import _core
from .. import language as gl
from ..errors import CompileError

_LAYOUT = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


def _break(n):
    for i in range(n):
        if i == 3:
            break


def _continue(n):
    for i in range(n):
        if i == 3:
            continue


def _return_in_a_loop(n):
    for i in range(n):
        if i == 3:
            return


def _nested_function(n):
    def inner(x):
        return x + 1

    gl.static_assert(inner(1) == 2)


def _lambda(n):
    inner = lambda x: x + 1  # noqa: E731
    gl.static_assert(inner(1) == 2)


def _list_comprehension(n):
    items = [x + n for x in (1, 2)]
    gl.static_assert(len(items) == 2)


def _f_string(n):
    gl.static_assert(True, f"{2}")


def _chained_comparison(n):
    gl.device_assert(0 < n < 5)


def _walrus(n):
    if (m := n + 1) > 2:
        gl.device_assert(m > 2)


def _loop_else(n):
    for _ in range(n):
        pass
    else:
        gl.device_assert(n > 0)


def _starred_arguments(n):
    sizes = (4, n)
    gl.device_assert(gl.maximum(*sizes) > 2)


def _auto_layout(n):
    gl.set_auto_layout(gl.arange(0, 128, layout=gl.AutoLayout()), _LAYOUT)


def _coalesced_layout(n):
    gl.set_auto_layout(gl.arange(0, 128, layout=gl.CoalescedLayout()), _LAYOUT)


def _shared_linear_layout(n):
    gl.allocate_shared_memory(gl.int32, [4], gl.SharedLinearLayout([[1], [2]]))


#: Maps each syntax feature to its description, and to a kernel that uses the feature. The key is the name of the
#: feature's ast class, or a name that `report._features` yields.
SYNTAX = {
    "Break": ("break", _break),
    "Continue": ("continue", _continue),
    "ReturnInLoop": ("return in a loop", _return_in_a_loop),
    "FunctionDef": ("a function in a kernel", _nested_function),
    "Lambda": ("lambda", _lambda),
    "ListComp": ("a list comprehension", _list_comprehension),
    "JoinedStr": ("an f-string", _f_string),
    "ChainedComparison": ("a chained comparison", _chained_comparison),
    "NamedExpr": ("an assignment in an expression", _walrus),
    "LoopElse": ("else of a loop", _loop_else),
    "Starred": ("a starred argument", _starred_arguments),
}

#: Maps names that can be imported even if Hocket lacks the feature to a kernel that uses the feature.
NAMES = {
    "AutoLayout": _auto_layout,
    "CoalescedLayout": _coalesced_layout,
    "SharedLinearLayout": _shared_linear_layout,
}


@functools.cache
def works(probe) -> bool:
    """Returns True if the front end accepts a kernel."""
    try:
        _core.emit_hk(probe, ["i32"])
    except CompileError:
        return False
    return True
