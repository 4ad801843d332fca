"""`triton.language`: what Gluon files mix in."""

from .gl import __getattr__ as __getattr__

TRITON_MAX_TENSOR_NUMEL = 1 << 20
