"""C = A x B on matrix cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core, cdiv
from .. import language as gl
from ..errors import LaunchError
from .arrays import ArrayFacts, check_target, empty_like, facts_of, target_of
from .explained import explained_by
from .matmul_kernels import matmul_direct_to_shared, matmul_through_registers
from .matmul_layouts import configure
from .matmul_pipelined import matmul_pipelined_direct, matmul_pipelined_registers
from .matmul_plan import COMPUTE_UNITS, Plan, choose_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Targets that copy 16 bytes per lane straight into LDS.
DIRECT_TARGETS = ("gfx950",)

#: By whether warps take turns, and whether operands are copied straight into LDS.
KERNELS = {
    (False, False): matmul_through_registers,
    (False, True): matmul_direct_to_shared,
    (True, False): matmul_pipelined_registers,
    (True, True): matmul_pipelined_direct,
}

#: Elements: their dtype in kernels, by NumPy's name. Each generation has its own float8 encodings.
SIXTEEN_BITS = {"float16": gl.float16, "bfloat16": gl.bfloat16}
ELEMENTS = {
    "gfx942": SIXTEEN_BITS | {"float8_e4m3fnuz": gl.float8e4b8, "float8_e5m2fnuz": gl.float8e5b16},
    "gfx950": SIXTEEN_BITS | {"float8_e4m3fn": gl.float8e4nv, "float8_e5m2": gl.float8e5},
}

#: The most elements in 16 bytes: sizes and strides that are multiples of it keep accesses of all dtypes wide.
WIDE = 16


class _Operand(NamedTuple):
    """An operand as a matrix, and which of its dimensions is contiguous."""

    facts: ArrayFacts
    k_dim: int
    is_k_contiguous: bool

    def misfit(self, name: str) -> str | None:
        """Why 16 bytes of a lane cannot be copied at once, or None if they can."""
        contiguous_dim = self.k_dim if self.is_k_contiguous else 1 - self.k_dim
        size, stride = self.facts.shape[contiguous_dim], self.facts.strides[1 - contiguous_dim]
        for what, value in (("the contiguous dimension", size), ("the stride of the other dimension", stride)):
            if value % WIDE:
                return f"{what} of {name} is {value}, not a multiple of {WIDE}"
        return None


def _operand(name: str, array: Any, k_dim: int) -> _Operand:
    facts = facts_of(array, f"matmul: {name}")
    if len(facts.shape) != 2 or 0 in facts.shape:
        raise LaunchError(f"matmul: {name} must be a matrix with elements, but its shape is {list(facts.shape)}")
    unit = [stride == 1 or size == 1 for size, stride in zip(facts.shape, facts.strides, strict=True)]
    if not any(unit):
        raise LaunchError(
            f"matmul: a dimension of {name} must be contiguous, but its strides are {list(facts.strides)}; copy {name}"
        )
    return _Operand(facts, k_dim, unit[k_dim])


def _plan(a: _Operand, b: _Operand, target: str) -> Plan:
    (m, k), n = a.facts.shape, b.facts.shape[1]
    misfit = obstacle = a.misfit("a") or b.misfit("b")
    if target not in DIRECT_TARGETS:
        obstacle = f"{target} copies 4 bytes per lane straight into LDS, registers take 16"
    return choose_plan(m, n, k, a.facts.element_bits, target, obstacle, _lds_bytes(target), misfit is None)


def _lds_bytes(target: str) -> int:
    return next(info.max_shared_bytes for info in _core.targets() if info.name == target)


def explain(
    shape: Sequence[int], dtype: str, target: str, *, transposed_a: bool = False, transposed_b: bool = False
) -> str:
    """Explains what `matmul` does for an M x K times K x N product of contiguous arrays, in sentences.

    Args:
        shape: (M, N, K).
        dtype: NumPy's name of the operands' dtype: "float16", "bfloat16", "float8_e4m3fn", ...
        target: "gfx942" or "gfx950".
        transposed_a, transposed_b: whether the operand is the transpose of a row-major matrix.
    """
    check_target("matmul", target, tuple(COMPUTE_UNITS))
    element = _element(dtype, target)
    m, n, k = shape
    bits = element.primitive_bitwidth
    a = _Operand(ArrayFacts((m, k), (1, m) if transposed_a else (k, 1), dtype, bits), 1, not transposed_a)
    b = _Operand(ArrayFacts((k, n), (1, k) if transposed_b else (n, 1), dtype, bits), 0, transposed_b)
    plan = _plan(a, b, target)
    head = f"{target}, {m} x {k} times {k} x {n} {dtype}: tile {plan.tile}, {plan.block_k} steps of k at a time"
    return "\n".join([head, *(f"- {reason}" for reason in plan.reasons)])


def _element(dtype: str, target: str) -> gl.dtype:
    if (element := ELEMENTS[target].get(dtype)) is None:
        raise LaunchError(f"matmul on {target} multiplies {', '.join(ELEMENTS[target])}, not {dtype}")
    return element


@explained_by(explain)
def matmul(a: Any, b: Any, out: Any = None, *, out_dtype: str | None = None, plan: Plan | None = None) -> Any:
    """A x B with float32 accumulation, on matrix cores. Runs where its arrays are; NumPy arrays in the emulator.

    Args:
        a: [M, K], NumPy's or PyTorch's; float16, bfloat16, or the float8 dtypes of the target. One dimension must be
            contiguous: the transpose of a row-major matrix is as good as a row-major one.
        b: [K, N], of the same dtype; likewise.
        out: [M, N], any strides, to write the result to; a new array if None.
        out_dtype: dtype of a new `out`, by NumPy's name: that of `a`, for float8 "float16".
        plan: the tile, and how operands travel (`hocket.kernels.matmul_plan.Plan`), instead of what the rule chooses.

    Returns: `out`.
    Raises: LaunchError for shapes that do not fit, dtypes that the target cannot multiply, targets without a kernel.

    `matmul.explain(shape, dtype, target)` says which tile is used and why (`hocket.kernels.matmul_plan` is the rule).
    """
    target = target_of(a)
    check_target("matmul", target, tuple(COMPUTE_UNITS))
    left, right = _operand("a", a, 1), _operand("b", b, 0)
    (m, k), (k_of_b, n) = left.facts.shape, right.facts.shape
    if k != k_of_b:
        raise LaunchError(f"matmul: a is {m} x {k} and b is {k_of_b} x {n}; the inner sizes must be equal")
    if left.facts.dtype != right.facts.dtype:
        raise LaunchError(f"matmul: a is {left.facts.dtype} and b is {right.facts.dtype}; they must be of one dtype")
    element = _element(left.facts.dtype, target)
    if out is None:
        out = empty_like(a, (m, n), out_dtype or ("float16" if element.is_fp8() else left.facts.dtype))
    result = facts_of(out, "matmul: out")
    if result.shape != (m, n):
        raise LaunchError(f"matmul: out must be {m} x {n}, but its shape is {list(result.shape)}")

    plan = plan or _plan(left, right, target)
    config = configure(plan, target, element, _lds_bytes(target), k, left.is_k_contiguous, right.is_k_contiguous)
    kernel = KERNELS[plan.is_pipelined, plan.is_direct]
    grid = (cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n),)
    strides = (left.facts.strides, right.facts.strides, result.strides)
    kernel[grid](a, b, out, *strides, m, n, k, cfg=config, num_warps=plan.tile.num_warps)
    return out
