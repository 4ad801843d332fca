"""The kernel language: names used inside `@hocket.jit` functions.

    from hocket import language as gl

This package declares the builtins, which the compiler implements. Calling a builtin outside a kernel is an error.
Layouts and dtypes are ordinary Python values, on the host and in kernels.

Examples in docstrings are lines of a kernel. The output of an example is the value of its last line on the emulator.
Each example implicitly begins with these lines:

    L: gl.constexpr = gl.row_layout()
    T: gl.constexpr = gl.BlockedLayout([1, 1], [gl.num_lanes() // 4, 4], [gl.num_warps(), 1], [1, 0])
    S: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    i = gl.arange(0, 4, L)
    x = i.to(gl.float32)
    t = gl.convert_layout(gl.arange(0, 8, L).reshape(2, 4), T)

In addition, p is a pointer to the int32 numbers 10, 20, ..., 640, and `amd` is imported from hocket.language.
"""

from . import amd, extra, nvidia, profiler
from ._aggregate import aggregate, aggregate_replace, must_use_result
from ._constexpr import constexpr_function
from ._control import assume, max_constancy, max_contiguous, multiple_of, range, static_range
from ._creation import arange, full, full_like, to_tensor, zeros, zeros_like
from ._debug import device_assert, device_print, expect_zero, static_assert, static_print
from ._dot import dot_fma
from ._dtype import (
    bfloat16,
    dtype,
    float8e4b8,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pointer_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from ._elementwise import (
    PropagateNan,
    add,
    cast,
    cdiv,
    clamp,
    fp4_to_fp,
    logical_and,
    logical_or,
    maximum,
    minimum,
    mul,
    sub,
    where,
)
from ._gather import gather, histogram
from ._grid import num_ctas, num_lanes, num_programs, num_warps, program_id
from ._math import (
    abs,
    ceil,
    cos,
    div_rn,
    erf,
    exp,
    exp2,
    fdiv,
    floor,
    fma,
    log,
    log2,
    rsqrt,
    sin,
    sqrt,
    sqrt_rn,
    tanh,
    umulhi,
)
from ._memory import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_poll,
    atomic_store,
    atomic_xchg,
    atomic_xor,
    load,
    store,
)
from ._partitions import warp_specialize
from ._per_element import inline_asm_elementwise, map_elementwise
from ._pipelines import warp_pipeline_stage
from ._reduction import any_in_warp, max, min, reduce, reduce_or, sum, xor_sum
from ._scan import associative_scan, cumprod, cumsum
from ._scheduling import sched_barrier, sched_group_barrier
from ._shape import (
    broadcast,
    broadcast_to,
    convert_layout,
    expand_dims,
    join,
    permute,
    ravel,
    reshape,
    set_auto_layout,
    split,
    trans,
    view,
)
from ._shared_banks import bank_conflicts
from ._shared_descriptor import shared_memory_descriptor
from ._shared_memory import allocate_shared_memory, barrier
from ._tensor import tensor
from ._types import (
    base_type,
    base_value,
    block_type,
    distributed_type,
    shared_memory_descriptor_type,
    tuple,
    tuple_type,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    # For type checkers, a compile-time value is the value itself: `BLOCK: gl.constexpr` is used as an int. Therefore
    # type checkers do not accept the call `gl.constexpr(42)`; write `LIMIT: gl.constexpr = 42`, which is equivalent.
    constexpr: TypeAlias = Any

    from ._activations import sigmoid, softmax
    from ._arg_reduction import argmax, argmin
    from ._cache_policy import CachePolicy
    from ._concatenation import cat, interleave
    from ._layouts import (
        AutoLayout,
        BlockedLayout,
        CoalescedLayout,
        DistributedLayout,
        DistributedLinearLayout,
        DotOperandLayout,
        PaddedSharedLayout,
        SharedLayout,
        SharedLinearLayout,
        SliceLayout,
        SwizzledSharedLayout,
        make_cga_layout,
        to_linear_layout,
        warps_per_cta,
    )
    from ._layouts.nvidia import NVMMADistributedLayout, NVMMASharedLayout
    from ._order import flip, sort, topk
    from ._random import rand, rand4x, randint, randint4x, randn, randn4x
    from ._ring_buffer import RingBuffer, RingConsumer, RingPosition, RingProducer, RingSlot
    from ._row_layout import row_layout
    from ._slice import slice

__all__ = [
    "AutoLayout",
    "BlockedLayout",
    "CachePolicy",
    "CoalescedLayout",
    "DistributedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "NVMMADistributedLayout",
    "NVMMASharedLayout",
    "PaddedSharedLayout",
    "PropagateNan",
    "RingBuffer",
    "RingConsumer",
    "RingPosition",
    "RingProducer",
    "RingSlot",
    "SharedLayout",
    "SharedLinearLayout",
    "SliceLayout",
    "SwizzledSharedLayout",
    "abs",
    "add",
    "aggregate",
    "aggregate_replace",
    "allocate_shared_memory",
    "amd",
    "any_in_warp",
    "arange",
    "argmax",
    "argmin",
    "associative_scan",
    "assume",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_load",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_poll",
    "atomic_store",
    "atomic_xchg",
    "atomic_xor",
    "bank_conflicts",
    "barrier",
    "base_type",
    "base_value",
    "bfloat16",
    "block_type",
    "broadcast",
    "broadcast_to",
    "cast",
    "cat",
    "cdiv",
    "ceil",
    "clamp",
    "constexpr",
    "constexpr_function",
    "convert_layout",
    "cos",
    "cumprod",
    "cumsum",
    "device_assert",
    "device_print",
    "distributed_type",
    "div_rn",
    "dot_fma",
    "dtype",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expect_zero",
    "extra",
    "fdiv",
    "flip",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "float16",
    "float32",
    "float64",
    "floor",
    "fma",
    "fp4_to_fp",
    "full",
    "full_like",
    "gather",
    "histogram",
    "inline_asm_elementwise",
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "interleave",
    "join",
    "load",
    "log",
    "log2",
    "logical_and",
    "logical_or",
    "make_cga_layout",
    "map_elementwise",
    "max",
    "max_constancy",
    "max_contiguous",
    "maximum",
    "min",
    "minimum",
    "mul",
    "multiple_of",
    "must_use_result",
    "num_ctas",
    "num_lanes",
    "num_programs",
    "num_warps",
    "nvidia",
    "permute",
    "pointer_type",
    "profiler",
    "program_id",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "range",
    "ravel",
    "reduce",
    "reduce_or",
    "reshape",
    "row_layout",
    "rsqrt",
    "sched_barrier",
    "sched_group_barrier",
    "set_auto_layout",
    "shared_memory_descriptor",
    "shared_memory_descriptor_type",
    "sigmoid",
    "sin",
    "slice",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "sqrt_rn",
    "static_assert",
    "static_print",
    "static_range",
    "store",
    "sub",
    "sum",
    "tanh",
    "tensor",
    "to_linear_layout",
    "to_tensor",
    "topk",
    "trans",
    "tuple",
    "tuple_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "umulhi",
    "view",
    "void",
    "warp_pipeline_stage",
    "warp_specialize",
    "warps_per_cta",
    "where",
    "xor_sum",
    "zeros",
    "zeros_like",
]


# Some names of `__all__` are not defined in this module. The modules that define them are imported on first use.
# Layouts are dataclasses, and importing `dataclasses` takes longer than importing the rest of this package. Most
# kernels use none of the functions in these modules.
_HOMES = {
    "NVMMADistributedLayout": "._layouts.nvidia",
    "NVMMASharedLayout": "._layouts.nvidia",
    "CachePolicy": "._cache_policy",
    **dict.fromkeys(("argmax", "argmin"), "._arg_reduction"),
    **dict.fromkeys(("cat", "interleave"), "._concatenation"),
    **dict.fromkeys(("flip", "sort", "topk"), "._order"),
    **dict.fromkeys(("rand", "rand4x", "randint", "randint4x", "randn", "randn4x"), "._random"),
    **dict.fromkeys(("RingBuffer", "RingConsumer", "RingPosition", "RingProducer", "RingSlot"), "._ring_buffer"),
    "row_layout": "._row_layout",
    "slice": "._slice",
    **dict.fromkeys(("sigmoid", "softmax"), "._activations"),
}

if not TYPE_CHECKING:  # a visible `__getattr__` would make type checkers accept any attribute of this module
    from ._constexpr import constexpr

    def __getattr__(name: str):
        if name not in __all__:
            from ._foreign_names import missing_attribute

            raise missing_attribute(__name__, name, __all__)
        from importlib import import_module  # `from . import` would call this `__getattr__` again

        module = import_module(_HOMES.get(name, "._layouts"), __name__)
        globals().update({known: getattr(module, known) for known in module.__all__ if known in __all__})
        return globals()[name]


def __dir__() -> list[str]:
    return __all__
