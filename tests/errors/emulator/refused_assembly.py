"""Invalid assembly; compiled by test_assembly_errors.py."""

import hocket
from hocket import language as gl


@hocket.jit
def unknown_instruction(x):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.store(x + i, gl.inline_asm_elementwise("rubbish $0, $1", "=v,v", [gl.load(x + i)], gl.float32, True, 1))


@hocket.jit
def unknown_ptx(x):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.store(x + i, gl.inline_asm_elementwise("twist $0, $1;", "=f,f", [gl.load(x + i)], gl.float32, True, 1))


@hocket.jit
def unknown_constraint(x):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.store(x + i, gl.inline_asm_elementwise("mov.b32 $0, $1;", "=y,f", [gl.load(x + i)], gl.float32, True, 1))


@hocket.jit
def outside(x, out):
    i = gl.arange(0, 256, layout=gl.row_layout())
    gl.store(out + i, gl.gather(gl.load(x + i), i + 1, 0))
