"""Hopper's tensor descriptors, under the module name that files for Blackwell use."""

from .hopper import TensorDescriptor, TensorDescriptorIm2Col

__all__ = ["TensorDescriptor", "TensorDescriptorIm2Col"]
