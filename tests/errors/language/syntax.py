"""Python that kernels do not have."""

from cases import mistake

import hocket.language as gl


@mistake("*f32")
def exception_handling(x):
    try:
        gl.store(x, 1.0)
    except ValueError:
        pass


@mistake("*f32")
def context_manager(x):
    with open("file") as f:
        gl.store(x, f)


@mistake("*f32")
def dict_literal(x):
    values = {"a": 1.0}
    gl.store(x, values["a"])


@mistake("*f32")
def element_assignment(x):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    values = gl.zeros([128], gl.float32, layout)
    values[0] = 1.0
    gl.store(x + gl.arange(0, 128, layout), values)


@mistake("*f32")
def starred_target(x):
    first, *rest = (1.0, 2.0, 3.0)
    gl.store(x, first)


@mistake("*f32, i32")
def loop_with_else(x, n):
    for i in range(n):
        gl.store(x + i, 1.0)
    else:
        gl.store(x, 2.0)


@mistake("*f32")
def keyword_dict(x):
    gl.store(x, 1.0, **{"mask": None})
