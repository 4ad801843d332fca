"""`triton.tools.mxfp`: numbers in the OCP microscaling formats. PyTorch tensors hold the bits of the numbers.

E2M1, the format of MXFP4's elements: a sign, two exponent bits and one fraction bit. The values are 0, 0.5, 1, 1.5, 2,
3, 4, 6 and their negatives. E8M0, the format of the scales: the byte x is the code of 2 to the power x - 127, and the
byte 255 is the code of NaN.
"""

from __future__ import annotations

import importlib
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["MXFP4Tensor", "MXScaleTensor", "fp8e8m0_to_float32"]

_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_SIGN = 8
_BIAS, _NAN = 127, 255


def _torch() -> Any:
    """Returns PyTorch, imported on first use. This module can be imported without PyTorch."""
    return importlib.import_module("torch")


def _sizes(size: Any) -> tuple[int, ...]:
    return tuple(size) if isinstance(size, tuple | list) else (size,)


class MXFP4Tensor:
    """A tensor of E2M1 elements, one per byte of `data`.

    Args:
        data: floats, rounded to the nearest E2M1 number; ties go to the even code, and numbers above 6 become 6.
        size: instead of `data`, the shape of a tensor that `random` fills.
        device: the device of the tensor, by default the device of `data`.
    """

    def __init__(self, data: torch.Tensor | None = None, size: Any = None, device: Any = None):
        self.device = device if data is None else data.device
        if data is not None:
            self.size = tuple(data.shape)
            self.data = _from_float(data)
        elif size is not None:
            self.size = _sizes(size)
        else:
            raise ValueError("MXFP4Tensor needs `data` or `size`")

    def random(self) -> MXFP4Tensor:
        """Fills the tensor with random E2M1 numbers."""
        self.data = _torch().randint(0, 2 * _SIGN, self.size, dtype=_torch().uint8, device=self.device)
        return self

    def to(self, dtype: torch.dtype) -> torch.Tensor:
        """Returns the numbers as floats."""
        values = _torch().tensor([*_VALUES, *(-value for value in _VALUES)], dtype=dtype, device=self.data.device)
        return values[self.data.long()]

    def to_packed_tensor(self, dim: int) -> torch.Tensor:
        """Packs two neighbors along `dim` into each byte, the first neighbor in the low bits. An odd size is padded
        with 0."""
        data = self.data
        if data.shape[dim] % 2:
            data = _torch().cat([data, _torch().zeros_like(data.narrow(dim, 0, 1))], dim)
        pairs = data.unflatten(dim, (-1, 2))
        dim = dim % data.ndim
        return pairs.select(dim + 1, 0) | pairs.select(dim + 1, 1) << 4

    def unpack_packed_tensor(self, packed_tensor: torch.Tensor, dim: int, original_shape: Any) -> torch.Tensor:
        """Unpacks the result of `to_packed_tensor` into a tensor of shape `original_shape`."""
        dim = dim % packed_tensor.ndim
        pairs = _torch().stack([packed_tensor & 0xF, packed_tensor >> 4], dim + 1)
        return pairs.flatten(dim, dim + 1).narrow(dim, 0, original_shape[dim])


def _from_float(numbers: torch.Tensor) -> torch.Tensor:
    values = _torch().tensor(_VALUES, dtype=_torch().float32, device=numbers.device)
    middles = (values[1:] + values[:-1]) / 2
    absolute = numbers.float().abs().contiguous()
    # Ties go to the even code.
    below, above = _torch().bucketize(absolute, middles), _torch().bucketize(absolute, middles, right=True)
    code = _torch().where(below % 2 == 0, below, above)
    return (code + _SIGN * _torch().signbit(numbers)).to(_torch().uint8)


class MXScaleTensor:
    """A tensor of E8M0 scales, one per byte of `data`.

    Args:
        data: positive floats, rounded down to a power of two; other floats become NaN.
        size: instead of `data`, the shape of a tensor that `random` fills.
        device: the device of the tensor, by default the device of `data`.
    """

    def __init__(self, data: torch.Tensor | None = None, size: Any = None, device: Any = None):
        self.device = device if data is None else data.device
        if data is not None:
            self.size = tuple(data.shape)
            exponents = (_torch().log2(data.float()).floor() + _BIAS).clamp(0, _NAN - 1)
            is_number = _torch().isfinite(data) & (data > 0)
            self.data = (
                _torch()
                .where(is_number, exponents.nan_to_num(0), _torch().full_like(exponents, _NAN))
                .to(_torch().uint8)
            )
        elif size is not None:
            self.size = _sizes(size)
        else:
            raise ValueError("MXScaleTensor needs `data` or `size`")

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Fills the tensor with random powers of two from `low` to `high`, by default all of E8M0."""
        first = 0 if low is None else max(0, math.ceil(math.log2(low)) + _BIAS)
        last = _NAN - 1 if high is None else min(_NAN - 1, math.floor(math.log2(high)) + _BIAS)
        self.data = _torch().randint(first, last + 1, self.size, dtype=_torch().uint8, device=self.device)
        return self

    def to(self, dtype: torch.dtype) -> torch.Tensor:
        """Returns the scales as floats."""
        return fp8e8m0_to_float32(self.data).to(dtype)


def fp8e8m0_to_float32(scale: torch.Tensor) -> torch.Tensor:
    """Returns E8M0 bytes as float32."""
    exponents = scale.view(_torch().uint8).float() - _BIAS
    return _torch().where(exponents == _NAN - _BIAS, _torch().full_like(exponents, math.nan), _torch().exp2(exponents))
