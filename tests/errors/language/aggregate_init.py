"""Mistakes in `__init__` of structs of values, in the kernel language and in Python."""

from cases import jit, mistake

import hocket
import hocket.language as gl


@hocket.aggregate
class Half:
    left: gl.tensor
    right: gl.tensor

    def __init__(self, n, kind: gl.constexpr):
        if kind == "missing":
            self.left = n
        elif kind == "unknown":
            self.lef = n
        elif kind == "branch":
            self.right = n
            if n > 0:
                self.left = n
        elif kind == "loop":
            self.right = n
            for i in range(n):
                self.left = i
        elif kind == "early":
            self.left = self.right + 1
        elif kind == "whole":
            self.left = swapped(self).right
        elif kind == "returns":
            self.left = n
            self.right = n
            return n


@jit
def swapped(half):
    return Half(half.right, half.left)


@mistake("*f32, i32")
def init_leaves_a_field_out(out, n):
    gl.store(out, Half(n, "missing").left)


@mistake("*f32, i32")
def init_assigns_an_unknown_field(out, n):
    gl.store(out, Half(n, "unknown").left)


@mistake("*f32, i32")
def init_assigns_in_one_branch(out, n):
    gl.store(out, Half(n, "branch").left)


@mistake("*f32, i32")
def init_assigns_in_a_loop(out, n):
    gl.store(out, Half(n, "loop").left)


@mistake("*f32, i32")
def init_reads_a_field_too_early(out, n):
    gl.store(out, Half(n, "early").left)


@mistake("*f32, i32")
def init_passes_self_too_early(out, n):
    gl.store(out, Half(n, "whole").left)


@mistake("*f32, i32")
def init_returns_a_value(out, n):
    gl.store(out, Half(n, "returns").left)


@hocket.aggregate
class InPython:
    size: gl.constexpr

    @hocket.constexpr_function
    def __init__(self, size):
        if size > 8:
            raise ValueError(f"at most 8 rows, not {size}")
        if size > 4:
            self.length = size
        elif size > 2:
            return
        self.size = size


@mistake("*f32")
def init_in_python_raises(out):
    gl.store(out, InPython(16).size)


@mistake("*f32")
def init_in_python_assigns_an_unknown_field(out):
    gl.store(out, InPython(8).size)


@mistake("*f32")
def init_in_python_leaves_a_field_out(out):
    gl.store(out, InPython(4).size)


@mistake("*f32, i32")
def init_in_python_of_a_run_time_value(out, n):
    gl.store(out, InPython(n).size)
