"""The ready kernels (`hocket.kernels`) as PyTorch operators, for eager mode, autograd, torch.compile and CUDA graphs.

    import hocket.torch

    y = hocket.torch.matmul(x, weight.T, bias=bias, activation="gelu_tanh")  # or torch.ops.hocket.matmul(...)

This module imports torch, which `import hocket` does not.
"""

from .attention import attention, scaled_dot_product_attention
from .attention_paged import attention_paged
from .attention_varlen import attention_varlen
from .cross_entropy import cross_entropy
from .gated import geglu, swiglu
from .group_norm import group_norm
from .grouped_matmul import grouped_matmul
from .hugging_face import register_attention
from .matmul import matmul
from .norms import LayerNorm, RMSNorm, layer_norm, rms_norm
from .quantized import layer_norm_quantized, rms_norm_quantized
from .softmax import log_softmax, softmax
from .user_operators import OpFunction, like, op

__all__ = [
    "LayerNorm",
    "OpFunction",
    "RMSNorm",
    "attention",
    "attention_paged",
    "attention_varlen",
    "cross_entropy",
    "geglu",
    "group_norm",
    "grouped_matmul",
    "layer_norm",
    "layer_norm_quantized",
    "like",
    "log_softmax",
    "matmul",
    "op",
    "register_attention",
    "rms_norm",
    "rms_norm_quantized",
    "scaled_dot_product_attention",
    "softmax",
    "swiglu",
]
