"""Hopper's descriptors of tensors, where files for Blackwell look for them."""

from .hopper import TensorDescriptor, TensorDescriptorIm2Col

__all__ = ["TensorDescriptor", "TensorDescriptorIm2Col"]
