"""Normalizations and their gradients in float64, and how far results may be from them."""

import ml_dtypes
import numpy as np


def kind_of(dtype):
    return np.dtype(getattr(ml_dtypes, dtype, dtype))


def inputs(rows, columns, dtype, seed=0):
    """x, dy, weight, bias, as they are in memory."""
    rng = np.random.default_rng(seed + rows + columns)
    shapes = ((rows, columns), (rows, columns), (columns,), (columns,))
    x, dy, weight, bias = (rng.standard_normal(shape).astype(kind_of(dtype)) for shape in shapes)
    return (x + kind_of(dtype).type(0.5)).astype(kind_of(dtype)), dy, weight, bias


def statistics(x, centered, eps):
    x = x.astype(np.float64)
    mean = x.mean(-1, keepdims=True) if centered else np.zeros((*x.shape[:-1], 1))
    return mean, 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps)


def forward(x, weight, bias, eps):
    """A bias makes it LayerNorm."""
    mean, rstd = statistics(x, bias is not None, eps)
    y = (x.astype(np.float64) - mean) * rstd
    if weight is not None:
        y = y * weight.astype(np.float64)
    return y if bias is None else y + bias.astype(np.float64)


def backward(dy, x, weight, centered, eps):
    """dx, dw, db."""
    mean, rstd = statistics(x, centered, eps)
    dy = dy.astype(np.float64)
    normal = (x.astype(np.float64) - mean) * rstd
    gradient = dy if weight is None else dy * weight.astype(np.float64)
    dx = gradient - normal * (gradient * normal).mean(-1, keepdims=True)
    if centered:
        dx = dx - gradient.mean(-1, keepdims=True)
    return dx * rstd, (dy * normal).sum(0), dy.sum(0)


def check_rows(result, expected, scale=None):
    """Within two units in the last place, and what sums in float32 lose of values as large as `scale`."""
    eps = float(ml_dtypes.finfo(result.dtype).eps)
    scale = np.abs(expected).max(initial=1e-3) if scale is None else scale
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= 2 * eps * np.abs(expected) + 1e-5 * scale).all(), error.max()


def check_sums(result, expected, rows):
    """Gradients of weight and bias."""
    eps = float(ml_dtypes.finfo(result.dtype).eps)
    error = np.abs(result.astype(np.float64) - expected)
    allowed = 5e-6 * np.sqrt(rows) + 1e-5 * np.abs(expected)
    if result.dtype.itemsize == 2:
        allowed = allowed + 2 * eps * np.abs(expected).max()
    assert (error <= allowed).all(), error.max()
