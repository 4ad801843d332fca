"""Calls the functions of the package with arguments of wrong kinds, and reads what they answer.

    python tests/robustness/wrong_host_arguments.py [--only TEXT] [--sample N] [--messages]

CALLS has a right call of each function. In each, one argument is replaced by a value of another kind, or a keyword is
added or misspelt. A function may accept that, or raise an error of hocket's, or a TypeError, ValueError or
AttributeError of its own: one that a `raise` statement of hocket makes, or that Python makes of the call itself. Other
errors come from below, and speak of what the caller has not written. Ends with 1 if there are any, after a line for
each.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import dataclasses
import decimal
import fractions
import functools
import io
import linecache
import pathlib
import random
import re
import signal
import sys
import textwrap
import traceback
import warnings
from typing import Any

import ml_dtypes
import numpy as np
from wrong_arguments import INTERNAL, Constant, changes_of

import hocket
from hocket import language as gl

#: Right calls. Names are those of `namespace`.
CALLS = [
    "hocket.emulator.target('gfx950', seed=1, threads=1, races=True, completion='now', undefined=False)",
    "hocket.emulator.schedule(seed=1, threads=1, races=True, completion='late', undefined=True)",
    "hocket.emulator.empty((4, 8), 'float32')",
    "hocket.emulator.record_timeline(blocks=1)",
    "hocket.devices.EmulatedDevice('gfx950')",
    "hocket.cdiv(7, 2)",
    "hocket.next_power_of_2(5)",
    "hocket.jit(plain_kernel)",
    "hocket.jit(debug=True, do_not_specialize=['n'], do_not_specialize_on_alignment=[0])",
    "hocket.constexpr_function(function)",
    "hocket.aggregate(make_class())",
    "hocket.aggregate_replace(pair, first=3)",
    "hocket.must_use_result(function)",
    "hocket.autotune([config], key=['n'], restore_value=['x'], reset_to_zero=['out'], warmup=1, rep=1)(copy)",
    "hocket.autotune([config], prune_configs_by={'top_k': 1}, pre_hook=None, use_cuda_graph=False)(copy)",
    "hocket.Config({'BLOCK': 64}, num_warps=4, num_stages=2, num_ctas=1, maxnreg=64, pre_hook=None)",
    "hocket.heuristics({'BLOCK': lambda args: 64})",
    "hocket.check(checked, target='gfx950', schedules=1, completions='now', first_seed=0, tolerance=0.0, threads=1)",
    "hocket.check(checked, schedules=1, allow_nan=False, fail_fast=False, progress=False, name='checked')",
    "hocket.testing.do_bench(function, warmup=0, rep=0, quantiles=[0.5])",
    "hocket.testing.do_bench(function, 0, 0, return_mode='min')",
    "hocket.testing.assert_close(x, x, rtol=0.1, atol=0.1)",
    "hocket.testing.Benchmark(['n'], [1], 'line', [1], ['a'], 'plot', {}, 'x', 'y', True, True, [('r', '-')])",
    "hocket.testing.perf_report(benchmark)",
    "hocket.pictures.draw_layout(blocked, [8, 8])",
    "hocket.pictures.draw_bank_conflicts(blocked, swizzled, [32, 32], gl.float32, 'sm_90a')",
    "hocket.profiler.session('name', buffer='static', policy='circular', units='warp', clock=32, max_blocks=1)",
    "hocket.profiler.session('name', select=[0], stages='auto', bytes_per_warp=0)",
    "hocket.profiler.session('name', overflow='flush', bytes_per_warp=1024, waits=True)",
    "hocket.kernels.matmul(a, b, product, bias=bias, activation='relu')",
    "hocket.kernels.matmul(a, b, out_dtype='float32', plan=None)",
    "hocket.kernels.matmul(a, b, epilogue=add_number, epilogue_args=(1.5,), out_columns=64, out_dtype='float32')",
    "hocket.kernels.matmul.explain((64, 64, 64), 'float16', 'sm_90a', transposed_a=True, batch=2, out_dtype='float32')",
    "hocket.kernels.matmul.explain((64, 64, 64), 'float16', 'sm_90a', has_epilogue=True)",
    "hocket.kernels.grouped_matmul(a, experts, starts[1:], scale_a=bias, scale_b=None, out_dtype='float32', plan=None)",
    "hocket.kernels.grouped_matmul(experts, experts, counts=starts[1:], out=None)",
    "hocket.kernels.grouped_matmul(a, experts, starts[1:], indices=starts)",
    "hocket.kernels.grouped_matmul(a.T, b, starts)",
    "hocket.kernels.grouped_matmul.explain((64, 64, 64), 4, 'float16', 'sm_90a', is_gathered=True)",
    "hocket.kernels.attention(q, q, q, causal=True, scale=0.5, return_lse=True, pipelined=False)",
    "hocket.kernels.attention(q, q, q, causal=True, window=(20, 0))",
    "hocket.kernels.attention.explain((1, 2, 64, 64), 'sm_90a', causal=True)",
    "hocket.kernels.attention_varlen(rows, rows, rows, starts, starts, 8, 8, causal=True, scale=0.5)",
    "hocket.kernels.attention_varlen_backward(rows, rows, rows, rows, rows, row_lse, starts, starts, window=(3, 0))",
    "hocket.kernels.attention_varlen.explain((1, 2, 64, 64), 'gfx950', causal=True)",
    "hocket.kernels.matmul_scaled.explain((256, 256, 256), 'float8_e4m3fn', 'gfx950')",
    "hocket.kernels.matmul_scaled.explain((256, 256, 256), 'float8_e4m3fn', 'sm_90a')",
    "hocket.kernels.shuffle_scales(scales)",
    "norms.rms_norm(tokens, weight, 1e-6, residual=tokens, weight_offset=1.0, return_statistics=True)",
    "norms.layer_norm(tokens, weight, weight, 1e-5, out=None, schedule=None)",
    "norms.rms_norm_backward(tokens, tokens, weight, rstd, residual_gradient=tokens, weight_offset=0.0, schedule=None)",
    "norms.layer_norm_backward(tokens, tokens, weight, rstd, rstd, has_bias=True)",
    "norms.choose(64, 128, 'float16', 'rms_norm', 'sm_90a', schedule='multi-wave', policy='hocket', has_weight=True)",
    "TensorDescriptor(image, [64, 64], [64, 1], [16, 64], shared, 'zero', False)",
    "TensorDescriptor.from_tensor(image, [16, 64], shared, padding='nan', round_f32_to_tf32=False)",
    "TensorDescriptorIm2Col.from_tensor(images, [32, 64], shared, pixel_box_lower_corner=[0, 0], "
    "pixel_box_upper_corner=[0, 0], element_strides=[1, 1, 1, 1])",
    "DescriptorForm(descriptor).on(image)",
    "gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0], cga_layout=[])",
    "gl.SliceLayout(0, blocked)",
    "gl.DotOperandLayout(0, blocked, 0)",
    "gl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[64], [128]], [], [256])",
    "gl.SwizzledSharedLayout(8, 1, 8, [1, 0], cga_layout=[])",
    "gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])",
    "gl.SharedLinearLayout([[1], [2]], [], 16)",
    "gl.NVMMASharedLayout(128, 16, 2, transposed=False, cga_layout=[])",
    "gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)",
    "gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])",
    "gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2])",
    "gl.make_cga_layout([2, 1], [2, 1], [1, 0])",
    "gl.pointer_type(gl.float32)",
    "gl.block_type(gl.float32, [4, 4])",
    "copy.run(x, out, 64, grid=(1,), BLOCK=64, num_warps=4, num_stages=2, num_ctas=1, debug=False)",
    "copy.run(x, out, 64, grid=(1,), BLOCK=64, maxnreg=64, enable_fp_fusion=True, keep_waits=False, waves_per_eu=0)",
    "copy.warmup(gl.float32, gl.float32, 64, BLOCK=64, target='gfx950')",
    "tuned.run(x, out, 64, grid=(1,))",
    "copies_blocks.run(descriptor, out, grid=(1,))",
    "compiled.asm['hk']",
    "reduced.run(x, (x, 3), grid=(1,))",
]
#: Values of each kind.
VALUES = [
    *("x", "a", "image", "np.zeros(4, object)", "np.zeros((2, 0))", "np.float32(1.5)", "np.int32(3)", "np.float32"),
    *("0", "1", "-1", "3", "10**30", "1.5", "float('nan')", "2j", "True", "None", "...", "'add'", "''", "b'x'"),
    *("()", "(1, 2)", "[1]", "['a']", "{'a': 1}", "{1}", "range(3)", "(i for i in [1])", "slice(None)", "print"),
    *("gl.float32", "gl.dtype", "np.dtype('float32')", "blocked", "swizzled", "shared", "gl.AutoLayout"),
    *("gl.BlockedLayout", "descriptor", "copy", "compiled", "tuned", "config", "pair", "gl", "gl.load", "function"),
    *("decimal.Decimal('1.5')", "fractions.Fraction(1, 3)", "object()", "Constant", "Constant()"),
]
#: Errors that a user can read.
OURS = (hocket.HocketError, TypeError, ValueError, AttributeError, NotImplementedError, AssertionError, RuntimeError)
#: Frames of a traceback that ends in the called function: of `answer`, of the call, of the function.
MOST_FRAMES = 4
#: Limit of a call: some wrong numbers ask for much work, and the answer is right all the same.
CPU_SECONDS = 60
#: Limit of a call that waits.
HANG_SECONDS = 600

KERNELS = """
import hocket
import numpy as np
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma

def plain_kernel(x, out, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, gl.row_layout())
    gl.store(out + i, gl.load(x + i, mask=i < n, other=0), mask=i < n)

copy = hocket.jit(plain_kernel)

@hocket.jit
def reduced(x, pair):
    gl.store(pair[0], gl.load(x) + pair[1])

@hocket.jit
def copies_blocks(desc, out):
    smem = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    barrier = mbarrier.allocate_mbarrier()
    mbarrier.init(barrier, count=1)
    mbarrier.expect(barrier, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], barrier, smem)
    mbarrier.wait(barrier, 0, deps=[smem])

@hocket.aggregate
class Pair:
    first: gl.constexpr
    second: gl.constexpr

def function():
    return 1.0

@hocket.jit
def add_number(acc, row, column, number):
    return acc + number

def checked():
    x = np.zeros(64, np.float32)
    copy[(1,)](x, x.copy(), 64, BLOCK=64)
    return x

def make_class():
    return type("AnAggregate", (), {"__annotations__": {"x": gl.tensor}})
"""


@functools.cache
def namespace() -> dict[str, Any]:
    """The names that calls refer to."""
    from hocket.kernels import norms
    from hocket.nvidia.hopper import DescriptorForm, TensorDescriptor, TensorDescriptorIm2Col

    space = dict(kernels())
    shared = gl.NVMMASharedLayout(128, 16, 2)
    image = aligned((64, 64), np.float16)
    config = hocket.Config({"BLOCK": 64})
    space |= {
        **{"hocket": hocket, "gl": gl, "np": np, "norms": norms, "decimal": decimal, "fractions": fractions},
        **{"TensorDescriptor": TensorDescriptor, "TensorDescriptorIm2Col": TensorDescriptorIm2Col},
        **{"DescriptorForm": DescriptorForm, "Constant": Constant, "shared": shared, "image": image, "config": config},
        "blocked": gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]),
        "swizzled": gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
        "descriptor": TensorDescriptor.from_tensor(image, [16, 64], shared),
        "images": aligned((2, 8, 8, 64), np.float16),
        "x": aligned((64,), np.float32),
        "out": aligned((64,), np.float32),
        **{name: aligned((64, 64), np.float16) for name in "ab"},
        "product": aligned((64, 64), np.float16),
        "experts": aligned((2, 64, 64), np.float16),
        "bias": aligned((64,), np.float32),
        "q": aligned((1, 2, 16, 64), np.float16),
        "rows": aligned((8, 2, 64), np.float16),
        "row_lse": aligned((2, 8), np.float32),
        "starts": np.array([0, 4, 8], np.int32),
        "scales": np.zeros((32, 8), np.uint8),
        "tokens": aligned((4, 64), np.float16),
        "weight": aligned((64,), np.float16),
        "rstd": aligned((4,), np.float32),
        "pair": space["Pair"](1, 2),
        "tuned": hocket.autotune([config], key=["n"])(space["copy"]),
        "benchmark": hocket.testing.Benchmark(["n"], [1], "line", [1], ["a"], "plot", {}),
        "float8": ml_dtypes.float8_e4m3fn,
    }
    space["compiled"] = space["copy"].warmup(gl.float32, gl.float32, 64, BLOCK=64, target="gfx950")
    return space


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros, from a multiple of 16 bytes on."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 16, np.uint8)
    start = -memory.ctypes.data % 16
    return memory[start : start + size].view(dtype).reshape(shape)


def kernels() -> dict[str, Any]:
    file = "<kernels>"
    linecache.cache[file] = (len(KERNELS), None, KERNELS.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "wrong_host_arguments_kernels"}
    sys.modules.setdefault(space["__name__"], type(sys)(space["__name__"]))
    exec(compile(KERNELS, file, "exec"), space)
    return space


@dataclasses.dataclass(frozen=True)
class Answer:
    """The error of a call, or None."""

    call: str
    error: BaseException | None

    @property
    def text(self) -> str:
        return "" if self.error is None else f"{type(self.error).__name__}: {self.error}"

    @property
    def objection(self) -> str:
        """The reason to reject the answer, or ""."""
        error = self.error
        if error is None or isinstance(error, TooLong):
            return ""
        frames = traceback.extract_tb(error.__traceback__)
        last = frames[-1]
        # cdiv and next_power_of_2 are arithmetic; what decorators call wrongly names the function itself.
        decorators = contextlib.__file__, sys.modules["hocket.language._constexpr"].__file__
        if last.filename in (hocket.__file__, *decorators) and len(frames) <= MOST_FRAMES:
            return ""
        if isinstance(error, hocket.InternalError) or not isinstance(error, OURS):
            return "comes from below"
        # Python's words for a value, and for a constructor that is called wrongly.
        text = re.sub(r"<(class|function|module) .*?>|<.*? object at 0x\w+>|__init__\(\)", "", str(error))
        if found := INTERNAL.search(text):
            return f"has the word {found[0]!r}"
        is_of_call = last.filename.startswith("<call")
        line = last.line or ""
        is_raised = "/hocket/" in last.filename and (
            line.startswith("raise") or "_core." in line or "self[grid]" in line
        )
        if not isinstance(error, hocket.HocketError) and not is_of_call and not is_raised:
            return f"comes from {pathlib.Path(last.filename).name}:{last.lineno}"
        return ""


class TooLong(BaseException):
    """A call took more than CPU_SECONDS, or is hung."""


def answer(call: str) -> Answer:
    def interrupt(*_: Any) -> None:
        raise TooLong

    space = namespace()
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.alarm(HANG_SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            # `attention_varlen` runs on an AMD GPU, other kernels run on Hopper.
            emulated = hocket.emulator.target("gfx950" if "varlen(" in call else "sm_90a")
            with warnings.catch_warnings(), emulated:
                warnings.simplefilter("ignore")
                result = eval(compile(call, "<call>", "eval"), space)
                if hasattr(result, "__enter__") and not isinstance(result, hocket.profiler.Session):
                    with result:
                        pass
        return Answer(call, None)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Answer(call, error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)
        hocket.runtime.places.unused_scopes.clear()


def variants(text: str) -> list[str]:
    """The wrong calls that are made of a right one."""
    found = [text]
    count = len([node for node in ast.walk(ast.parse(text, mode="eval")) if is_target(node)])
    for number in range(count):
        call = [node for node in ast.walk(ast.parse(text, mode="eval")) if is_target(node)][number]
        for change in changes_of(call, VALUES):
            tree = ast.parse(text, mode="eval")
            change([node for node in ast.walk(tree) if is_target(node)][number])
            found.append(ast.unparse(tree))
    return found


def is_target(node: ast.AST) -> bool:
    """Calls of the package, not those that make their arguments."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) not in ("decimal.Decimal", "make_class")


def all_calls(only: str = "") -> list[str]:
    return list(dict.fromkeys(call for text in CALLS if only in text for call in variants(text)))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="calls of CALLS that contain this")
    parser.add_argument("--sample", type=int, help="number of calls, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--messages", action="store_true", help="print each kind of message once")
    options = parser.parse_args()
    calls = all_calls(options.only)
    if options.sample:
        calls = random.Random(options.seed).sample(calls, min(options.sample, len(calls)))
    kinds: collections.Counter[str] = collections.Counter()
    wrong, seen = 0, set()
    for call in calls:
        found = answer(call)
        kinds[type(found.error).__name__ if found.error else "accepted"] += 1
        if found.objection:
            wrong += 1
            print(f"{call}: {found.objection}\n{textwrap.indent(found.text[:400], '    ')}", flush=True)
        elif options.messages and (found.text or found.error is None):
            words = re.sub(r"\d+", "N", found.text) or "accepted"
            if (call.partition("(")[0], words) not in seen:
                seen.add((call.partition("(")[0], words))
                print(f"{call}\n{textwrap.indent(found.text[:400] or 'accepted', '    ')}", flush=True)
    print(f"{len(calls)} calls: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}; {wrong} to mend")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
