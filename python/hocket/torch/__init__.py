"""The ready kernels (`hocket.kernels`) as operators of PyTorch: eager, autograd, torch.compile, CUDA graphs.

    import hocket.torch

    y = hocket.torch.matmul(x, weight.T, bias=bias, activation="gelu_tanh")  # or torch.ops.hocket.matmul(..)

Imports torch; nothing else of Hocket does before it meets a tensor.
"""

from .attention import attention
from .matmul import matmul

__all__ = ["attention", "matmul"]
