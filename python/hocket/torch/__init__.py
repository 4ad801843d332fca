"""The ready kernels (`hocket.kernels`) as operators of PyTorch: eager, autograd, torch.compile, CUDA graphs.

    import hocket.torch

    y = hocket.torch.matmul(x, weight.T, bias=bias, activation="gelu_tanh")  # or torch.ops.hocket.matmul(..)

Imports torch; nothing else of Hocket does before it meets a tensor.
"""

from .attention import attention
from .matmul import matmul
from .norms import LayerNorm, RMSNorm, layer_norm, rms_norm

__all__ = ["LayerNorm", "RMSNorm", "attention", "layer_norm", "matmul", "rms_norm"]
