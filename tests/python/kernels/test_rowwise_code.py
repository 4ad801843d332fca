"""The PTX of the operations on rows: accesses of 16 bytes, no spills."""

import re

import ptxas
import pytest

from hocket import language as gl
from hocket.kernels import rowwise
from hocket.kernels.norms.arguments import ForwardInputs, ForwardStrides, MatrixPointer
from hocket.kernels.norms.plan import STREAMING, config_of
from hocket.kernels.rowwise import launch
from hocket.kernels.rowwise.elementwise import parts_of_rows
from hocket.kernels.rowwise.gated import GatedGradients, GatedInputs, gated_backward, gated_forward
from hocket.kernels.rowwise.grouped_backward import GroupSizes, GroupStatistics, gradient_of_parts, sums_of_parts
from hocket.kernels.rowwise.losses import (
    RowLosses,
    Targets,
    Weights,
    backward_kernel,
    cross_entropy_resident,
    cross_entropy_streaming,
)
from hocket.kernels.rowwise.quantized import QuantizedOutputs, quantized_resident, quantized_streaming
from hocket.runtime.jit import MockTensor

pytestmark = pytest.mark.codegen

REAL, INTEGER, FLOAT8 = (MockTensor(kind) for kind in (gl.float32, gl.int64, gl.float8e4nv))


def options_of(plan):
    limits = {"num_warps": plan.num_warps, "maxnreg": plan.limit, "target": "sm_90a"}
    return {"cfg": config_of(plan, False), **limits}


def compile_softmax(plan, x):
    operation = plan.problem.operation
    kernel = launch._SOFTMAX[operation.endswith("backward")][plan.schedule]
    matrices = [x] * (3 if operation.endswith("backward") else 2)
    return kernel.warmup(
        *matrices, plan.problem.rows, plan.problem.columns, operation.startswith("log"), **options_of(plan)
    )


def compile_smoothed_cross_entropy(plan, x):
    return compile_cross_entropy(plan, x, smooths=True)


def compile_cross_entropy(plan, x, smooths=False):
    sizes = plan.problem.rows, plan.problem.columns
    targets, weights = Targets(INTEGER, 1, -100), Weights(0.0, 0.0)
    if plan.problem.operation.endswith("backward"):
        scalars = REAL, REAL, x, *sizes, parts_of_rows(plan)
        return backward_kernel.warmup(MatrixPointer(REAL, 0), x, targets, weights, *scalars, **options_of(plan))
    kernel = cross_entropy_streaming if plan.schedule == STREAMING else cross_entropy_resident
    return kernel.warmup(x, targets, weights, RowLosses(REAL, REAL), *sizes, smooths, **options_of(plan))


def compile_gated(plan, x):
    form = plan.problem.operation.removesuffix("_backward")
    rest = plan.problem.rows, plan.problem.columns, parts_of_rows(plan), form
    if plan.problem.operation.endswith("backward"):
        return gated_backward.warmup(x, GatedInputs(x, x), GatedGradients(x, x), *rest, **options_of(plan))
    return gated_forward.warmup(GatedInputs(x, x), x, *rest, **options_of(plan))


def compile_quantized(plan, x, group=128):
    rows, columns = plan.problem.rows, plan.problem.columns
    array = x.data
    outputs = QuantizedOutputs(FLOAT8, REAL, array, None, None)
    kernel = quantized_streaming if plan.schedule == STREAMING else quantized_resident
    return kernel.warmup(
        ForwardInputs(array, array), ForwardStrides(*[columns] * 4), array, None, outputs, rows, columns, 1e-6, group,
        **options_of(plan),
    )  # fmt: skip


def group_arguments(plan):
    """Channels of 4 images, in 32 groups of 10."""
    return GroupStatistics(REAL, REAL), REAL, GroupSizes(4, 320, 10, parts_of_rows(plan))


def compile_group_sums(plan, x):
    sizes = plan.problem.rows, plan.problem.columns
    return sums_of_parts.warmup(x, x, *group_arguments(plan), *sizes, **options_of(plan))


def compile_group_gradients(plan, x):
    statistics, sums, sizes = group_arguments(plan)
    rest = x, sizes, plan.problem.rows, plan.problem.columns
    return gradient_of_parts.warmup(x, x, statistics, sums, REAL, *rest, **options_of(plan))


#: Function that compiles, operation, rows, columns, facts.
CASES = [
    (compile_softmax, "softmax", 16384, 4096, {}),
    (compile_softmax, "softmax", 4096, 32768, {}),
    (compile_softmax, "softmax", 4096, 131072, {}),
    (compile_softmax, "softmax_backward", 16384, 4096, {}),
    (compile_softmax, "softmax_backward", 4096, 24576, {}),
    (compile_softmax, "log_softmax_backward", 4096, 32768, {}),
    (compile_cross_entropy, "cross_entropy", 16384, 1024, {}),
    (compile_cross_entropy, "cross_entropy", 4096, 128256, {}),
    (compile_cross_entropy, "cross_entropy", 8192, 32000, {}),
    (compile_smoothed_cross_entropy, "cross_entropy", 8192, 32000, {}),
    (compile_cross_entropy, "cross_entropy_backward", 4096, 128256, {}),
    (compile_gated, "swiglu", 8192, 11008, {}),
    (compile_gated, "swiglu_backward", 8192, 11008, {}),
    (compile_gated, "geglu_backward", 8192, 11008, {}),
    (compile_quantized, "rms_norm_quantized", 16384, 4096, {"has_residual": True}),
    (compile_quantized, "rms_norm_quantized", 8192, 5120, {"has_residual": True}),
    (compile_group_sums, "group_norm_backward", 1280, 4096, {}),
    (compile_group_gradients, "group_norm_backward", 1280, 4096, {}),
]


@pytest.mark.parametrize(
    ("compile_plan", "operation", "rows", "columns", "facts"),
    CASES,
    ids=[f"{case[0].__name__}-{case[1]}-{case[3]}" for case in CASES],
)
def test_chosen_plans(compile_plan, operation, rows, columns, facts):
    plan = rowwise.choose(rows, columns, "bfloat16", operation, **facts)
    ptx = compile_plan(plan, MatrixPointer(MockTensor(gl.bfloat16), columns)).asm["ptx"]
    assert re.search(r"ld\.global[.\w:]*\.v4\.b32|cp\.async[.\w]* \[[^]]*\], \[[^]]*\], 16", ptx)
    assert sum(map(int, re.findall(r"(\d+) bytes spill stores", ptxas.messages(ptx)))) == 0


def test_narrow_rows_have_one_maximum_for_each_lane():
    """A vocabulary of an odd number of columns: with a maximum for each access of one element, registers were not
    enough."""
    plan = rowwise.choose(8192, 50257, "bfloat16", "cross_entropy")
    assert plan.vector == 1
    ptx = compile_cross_entropy(plan, MatrixPointer(MockTensor(gl.bfloat16), 50257)).asm["ptx"]
    assert sum(map(int, re.findall(r"(\d+) bytes spill stores", ptxas.messages(ptx)))) == 0
