"""The examples in docstrings of the language, as text of kernels."""

import doctest
import inspect
import textwrap

HEAD = """\
import hocket
from hocket import language as gl
from hocket.language import amd
from hocket.language.amd.cdna4 import async_copy
from hocket.language.nvidia import ampere, hopper
from hocket.language.nvidia.hopper import mbarrier, tma
"""
PRELUDE = """\
L: gl.constexpr = gl.row_layout()
T: gl.constexpr = gl.BlockedLayout([1, 1], [gl.num_lanes() // 4, 4], [gl.num_warps(), 1], [1, 0])
S: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
i = gl.arange(0, 4, L)
x = i.to(gl.float32)
t = gl.convert_layout(gl.arange(0, 8, L).reshape(2, 4), T)
"""
parse = doctest.DocTestParser().get_examples


def examples_of(stub):
    return parse(inspect.getdoc(stub))


def prints(example):
    return example.source.startswith("gl.device_print")


def kernel_text(examples):
    """A file with the kernel `example`, which prints each value that is shown, after its number."""
    functions, body = [], PRELUDE.splitlines()
    for number, example in enumerate(examples):
        if example.source.startswith("@hocket.jit"):
            functions.append(example.source)
        elif example.want and not prints(example):
            body.append(f'print("@{number}", {example.source.strip()})')
        else:
            body += example.source.splitlines()
    kernel = "@hocket.jit\ndef example(p, desc, images):\n" + textwrap.indent("\n".join(body), "    ")
    return "\n\n".join([HEAD, *functions, kernel]) + "\n"
