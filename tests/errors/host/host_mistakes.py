"""Mistakes in host code, one named expression each. The expected messages are in test_host_errors.expected."""

import decimal
import fractions

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels import attention, matmul, norms
from hocket.nvidia.hopper import DescriptorForm, TensorDescriptor, TensorDescriptorIm2Col

SHARED = gl.NVMMASharedLayout(128, 16, 2)


def half(*shape):
    return np.zeros(shape, np.float16)


def copy_function(x, out, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(out + i, gl.load(x + i, mask=i < n, other=0), mask=i < n)


copy = hocket.jit(copy_function)


@hocket.jit
def scale(x, factor):
    gl.store(x, gl.load(x) * factor)


@hocket.jit
def describes(desc: gl.constexpr):
    gl.static_print(desc.block_shape)


def line():
    return np.zeros(64, np.float32)


def tuned(*configs):
    return hocket.autotune(list(configs))(copy)


def launch_tuned(*configs, grid=(1,), **arguments):
    return tuned(*configs)[grid](line(), line(), 64, **arguments)


def decorated_twice():
    import dataclasses

    @hocket.aggregate
    @dataclasses.dataclass
    class Both:
        x: gl.tensor

    return Both


BLOCKS = [hocket.Config({"BLOCK": 64}), hocket.Config({"BLOCK": 128})]

MISTAKES = {
    # Descriptors of tensors
    "descriptor without a layout": lambda: TensorDescriptor(half(64, 128), [64, 128], [128, 1], [16, 64]),
    "descriptor of an array without a layout": lambda: TensorDescriptor.from_tensor(half(64, 128), [16, 64]),
    "descriptor as in Triton": lambda: TensorDescriptor(half(64, 128), [64, 128], [128, 1], [16, 64], "zero"),
    "strides in bytes": lambda: TensorDescriptor(half(64, 128), [64, 128], [256, 2], [16, 64], SHARED),
    "descriptor of a reversed array": lambda: TensorDescriptor.from_tensor(half(64, 128)[::-1], [16, 64], SHARED),
    "misspelt argument of a descriptor": lambda: TensorDescriptor(half(64, 128), [64, 128], [128, 1], block=[16, 64]),
    "form of an array": lambda: DescriptorForm(half(64, 128)),
    "images without corners": lambda: TensorDescriptorIm2Col.from_tensor(half(2, 8, 8, 64), [32, 64], SHARED),
    "descriptor as a constant": lambda: describes[(1,)](TensorDescriptor.from_tensor(half(64, 128), [16, 64], SHARED)),
    # Layouts
    "clusters of older layouts": lambda: gl.BlockedLayout([1], [32], [4], [0], ctas_per_cga=[1]),
    "layout without an order": lambda: gl.BlockedLayout([1], [32], [4]),
    "bases that are no rows": lambda: gl.DistributedLinearLayout(1, [], [], [], [2]),
    "type of a block": lambda: gl.block_type(float, [4]),
    # Launches
    "option of CUDA": lambda: copy[(1,)](line(), line(), 64, BLOCK=64, cluster_dims=(2, 1, 1)),
    "warps without num": lambda: copy[(1,)](line(), line(), 64, BLOCK=64, warps=8),
    "option that is a list": lambda: copy[(1,)](line(), line(), 64, BLOCK=64, num_warps=[4]),
    "grid that asks for a misspelt parameter": lambda: copy[lambda meta: meta["BLOK"]](line(), line(), 64, BLOCK=64),
    "grid that asks for something else": lambda: copy[lambda meta: meta["rows"]](line(), line(), 64, BLOCK=64),
    "decimal": lambda: scale[(1,)](line(), decimal.Decimal("1.5")),
    "fraction": lambda: scale[(1,)](line(), fractions.Fraction(1, 3)),
    "report of a kernel": lambda: copy.report(),
    "explanation of a kernel": lambda: copy.explain(),
    "attribute without a hint": lambda: copy.color,
    # Tuning
    "no configurations": lambda: launch_tuned(),
    "misspelt parameter in a configuration": lambda: launch_tuned(hocket.Config({"BLOK": 64})),
    "misspelt option in a configuration": lambda: hocket.Config({"BLOCK": 64}, warps=4),
    "grid of a tuned kernel": lambda: launch_tuned(*BLOCKS, grid=lambda meta: meta["BLOCKS"]),
    "heuristic that asks for a missing parameter": lambda: hocket.heuristics({"BLOCK": lambda args: args["N"]})(copy)[
        (1,)
    ](line(), line(), 64),
    # Ready kernels
    "reversed matrix": lambda: matmul(half(64, 64)[::-1], half(64, 64)),
    "matrix with reversed rows": lambda: matmul(half(64, 64), half(64, 64)[:, ::-1]),
    "reversed queries": lambda: attention(half(1, 2, 64, 64)[:, :, ::-1], half(1, 2, 64, 64), half(1, 2, 64, 64)),
    "name of a GPU": lambda: matmul.explain((64, 64, 64), "float16", "H100"),
    "name of another GPU": lambda: norms.choose(64, 64, "float16", "rms_norm", "MI300X"),
    "dtype by its short name": lambda: matmul.explain((64, 64, 64), "fp16", "sm_90a"),
    "flag that is a set": lambda: attention(half(1, 2, 64, 64), half(1, 2, 64, 64), half(1, 2, 64, 64), pipelined={1}),
    "rows of a text": lambda: norms.choose("64", 64, "float16", "rms_norm"),
    "module called": lambda: norms(half(4, 64)),
    "explanation of a module": lambda: norms.explain(half(4, 64), "H100"),
    # Checks, times
    "check of a number": lambda: hocket.check(3),
    "check of a launch": lambda: hocket.check(copy[(1,)]),
    "check with a text of schedules": lambda: hocket.check(line, schedules="10"),
    "check on a GPU by its name": lambda: hocket.check(line, target="H100"),
    "emulator of a GPU by its name": lambda: hocket.emulator.target("A100"),
    "empty array of a text": lambda: hocket.emulator.empty("4"),
    "time of a result": lambda: hocket.testing.do_bench(None),
    "result of a text": lambda: hocket.must_use_result("next"),
    # Classes
    "aggregate that is a dataclass": decorated_twice,
}
