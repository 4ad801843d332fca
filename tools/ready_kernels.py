"""Runs the ready kernels on every available target and prints a table of results, as the first step of `make run`.

    python tools/ready_kernels.py

Each result is compared with the result of NumPy in float64. Shapes are small, because most targets are emulated.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import sys

import numpy as np
from rich.console import Console
from rich.table import Table

from hocket import devices, kernels

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tutorials"))
from everywhere import run_everywhere

WIDTH = 100


def attention_reference(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Returns causal attention of arrays with the shape [batch, heads, queries, D]."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def rms_norm_reference(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * weight


def rms_norm_backward_reference(dy: np.ndarray, x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Returns the gradient of x."""
    rstd = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)
    g = dy * weight
    return rstd * (g - x * rstd * rstd * (g * x).mean(axis=-1, keepdims=True))


def rms_norm_backward(dy: np.ndarray, x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    _, rstd = kernels.norms.rms_norm(x, weight, return_statistics=True)
    return kernels.norms.rms_norm_backward(dy, x, weight, rstd)[0]


def layer_norm_reference(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(axis=-1, keepdims=True) + 1e-5) * weight + bias


#: Name, kernel, reference, shapes of the operands.
KERNELS = (
    ("matmul", kernels.matmul, np.matmul, ((512, 256), (256, 384))),
    (
        "attention, causal",
        lambda *qkv: kernels.attention(*qkv, causal=True),
        attention_reference,
        ((1, 2, 256, 64),) * 3,
    ),
    ("rms_norm", kernels.norms.rms_norm, rms_norm_reference, ((64, 512), (512,))),
    ("rms_norm_backward", rms_norm_backward, rms_norm_backward_reference, ((64, 512), (64, 512), (512,))),
    ("layer_norm", kernels.norms.layer_norm, layer_norm_reference, ((64, 512), (512,), (512,))),
)


def table_of(rows: list[dict]) -> Table:
    """Returns a table for a console of `WIDTH` columns, from rows that `run_everywhere` has returned."""
    table = Table("kernel", "target", "shape", "largest error", "seconds", box=None)
    for row in rows:
        table.add_row(row["kernel"], row["target"], row["shape"], row["error"], f"{row['seconds']:.3f}")
    return table


def run() -> list[dict]:
    """Runs all kernels on all targets, and returns the rows of the table. Raises AssertionError if a result is
    wrong."""
    random = np.random.default_rng(0)
    rows = []
    for name, kernel, reference, shapes in KERNELS:
        arrays = tuple(random.standard_normal(shape).astype(np.float16) for shape in shapes)
        with contextlib.redirect_stdout(io.StringIO()):  # `run_everywhere` prints a table for each kernel
            rows += run_everywhere(name, kernel, reference, [arrays], lambda x, *_: "x".join(map(str, x.shape)), 8.0)
    return rows


def main() -> int:
    targets = ", ".join(device.name for device in devices.available())
    print(f"hocket: running the ready kernels on {targets}")
    Console(width=WIDTH).print(table_of(run()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
