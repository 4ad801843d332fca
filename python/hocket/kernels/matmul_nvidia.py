"""The matrix product on NVIDIA GPUs: from arrays to a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .. import language as gl
from ..errors import LaunchError
from ..nvidia.hopper import DescriptorForm, TensorDescriptor
from .matmul_hopper import matmul_by_partitions
from .matmul_hopper_plan import MULTIPROCESSORS, HopperPlan, choose_hopper_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from .matmul_operands import Operand, Product

#: Elements: their dtype in kernels, by NumPy's name.
ELEMENTS = {
    "float16": gl.float16,
    "bfloat16": gl.bfloat16,
    "float8_e4m3fn": gl.float8e4nv,
    "float8_e5m2": gl.float8e5,
    "float32": gl.float32,
}

#: TMA moves pieces of so many bytes.
PIECE_BYTES = 16

TARGETS = ("sm_90a",)


@dataclass(frozen=True)
class HopperConfig:
    """Everything about a product that is known when it is compiled."""

    block_m: int
    block_n: int
    block_k: int
    #: Slots of the ring.
    slots: int
    #: Warpgroups that multiply, and into how many parts they divide a tile's rows.
    workers: int
    parts: int
    taking_turns: bool
    group_rows: int
    staged_columns: int
    staged_pieces: int
    is_batched: bool
    is_transposed_a: bool
    is_transposed_b: bool
    has_bias: bool
    activation: str
    acc: gl.NVMMADistributedLayout


def tma_obstacle(name: str, operand: Operand, is_stored: bool = False) -> str | None:
    """Why TMA cannot move blocks of an array, or None if it can."""
    size = operand.element_bits // 8
    if operand.misalignment:
        return f"{name} begins {operand.misalignment} bytes above a multiple of {PIECE_BYTES}"
    if operand.column_stride != 1 and operand.row_stride != 1:
        return f"no dimension of {name} is contiguous"
    stride = operand.column_stride if operand.is_transposed else operand.row_stride
    for what, value in (("rows", stride), ("matrices", operand.batch_stride)):
        if value * size % PIECE_BYTES:
            return f"{what} of {name} are {value * size} bytes apart, not a multiple of {PIECE_BYTES}"
    if is_stored and operand.columns * size % PIECE_BYTES:
        return f"rows of {name} have {operand.columns * size} bytes, not a multiple of {PIECE_BYTES}"
    return None


def obstacle_of(product: Product) -> str | None:
    """Why TMA cannot move the arrays of a product, or None."""
    a, b, out = product.a, product.b, product.out
    return tma_obstacle("a", a) or tma_obstacle("b", b) or tma_obstacle("out", out, is_stored=True)


def reads_only_k_contiguous(element_bits: int) -> bool:
    """Whether tensor cores take operands of this width from shared memory only if K is contiguous there."""
    return element_bits != 16


def shared_bytes(target: str) -> int:
    return next(info.max_shared_bytes for info in _core.targets() if info.name == target)


def plan_of(product: Product, target: str, multiprocessors: int = MULTIPROCESSORS, tile: Any = None) -> HopperPlan:
    """What the rule chooses."""
    bits = product.a.element_bits, product.out.element_bits
    return choose_hopper_plan(
        *product.sizes, product.out.batch, *bits, shared_bytes(target), multiprocessors, tile=tile
    )


def configure(plan: HopperPlan, product: Product) -> HopperConfig:
    """The compile-time side of `plan`."""
    tile = plan.tile
    acc = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, tile.n, 32 * 8 // product.a.element_bits])
    return HopperConfig(
        block_m=tile.m,
        block_n=tile.n,
        block_k=plan.block_k,
        slots=plan.slots,
        workers=tile.workers,
        parts=tile.parts,
        taking_turns=tile.taking_turns,
        group_rows=plan.group_rows,
        staged_columns=plan.staged_columns,
        staged_pieces=plan.staged_pieces,
        is_batched=product.out.batch > 1,
        is_transposed_a=product.a.is_transposed,
        is_transposed_b=product.b.is_transposed,
        has_bias=product.has_bias,
        activation=product.activation,
        acc=acc,
    )


def descriptor_form(array: Any, operand: Operand, rows: int, columns: int, batch: int) -> DescriptorForm:
    """Of blocks of `rows` x `columns`, for TMA, of an array as `operand` says."""
    shape, strides, block = [operand.rows, operand.columns], [operand.row_stride, 1], [rows, columns]
    if operand.is_transposed:
        shape, strides, block = shape[::-1], [operand.column_stride, 1], block[::-1]
    if batch > 1:  # one matrix that all of the batch share is that many in the same place
        shape, strides, block = [batch, *shape], [operand.batch_stride, *strides], [1, *block]
    layout = gl.NVMMASharedLayout.get_default_for(block, ELEMENTS[operand.dtype])
    return DescriptorForm(TensorDescriptor(array, shape, strides, block, layout))


def prepare(
    product: Product, target: str, multiprocessors: int, plan: HopperPlan | None, a: Any, b: Any, out: Any
) -> Callable[[Any, Any, Any, Any], None]:
    """A function that computes the product of arrays of the same form: `prepared(a, b, out, bias)`."""
    if (obstacle := obstacle_of(product)) is not None:
        raise LaunchError(
            f"matmul on {target}: TMA cannot move these arrays: {obstacle}\n  hint: pad the rows, or copy"
        )
    for name, operand, is_k_contiguous in (
        ("a", product.a, not product.a.is_transposed),
        ("b", product.b, product.b.is_transposed or product.b.rows == 1),
    ):
        if reads_only_k_contiguous(operand.element_bits) and not is_k_contiguous:
            raise LaunchError(
                f"matmul on {target}: {operand.dtype} operands need K contiguous, and that of {name} is not"
            )
    plan = plan or plan_of(product, target, multiprocessors)
    config = configure(plan, product)
    batch = product.out.batch
    a_form = descriptor_form(a, product.a, config.block_m // config.parts, config.block_k, batch)
    b_form = descriptor_form(b, product.b, config.block_k, config.block_n, batch)
    out_form = descriptor_form(out, product.out, config.block_m // config.parts, config.staged_columns, batch)
    launch = matmul_by_partitions[(plan.blocks,)]
    sizes = *product.sizes, batch

    def run(a: Any, b: Any, out: Any, bias: Any) -> None:
        launch(a_form.on(a), b_form.on(b), out_form.on(out), bias, *sizes, cfg=config, num_warps=4)

    return run
