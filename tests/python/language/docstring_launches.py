"""Launches of the examples in the docstrings of the language, for tests that run them."""

import ctypes
import runpy

import numpy as np
from docstring_examples import examples_of, kernel_text
from write_support_matrix import STUBS

from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col


def flush(device):
    """The output of kernels on a GPU is in a buffer of the C library."""
    if device.is_gpu:
        import torch

        torch.cuda.synchronize()
        ctypes.CDLL(None).fflush(None)


def launch_example(name, device, tmp_path):
    """Runs the example of `name` on a device."""
    file = tmp_path / "example.py"
    file.write_text(kernel_text(examples_of(STUBS[name])))
    num_ctas = 2 if name == "gl.nvidia.hopper.async_store" else 1
    warps = 8 if name.endswith("warp_pipeline_stage") else 4 if ".hopper" in name else 1
    with device:
        p = device.to_device(np.arange(10, 650, 10, dtype=np.int32))
        desc = images = None
        if "tma" in name:
            layout, corner = gl.NVMMASharedLayout(0, 32, 2), [0]
            desc = TensorDescriptor(p, [8, 8], [8, 1], [8, 4], layout)
            images = TensorDescriptorIm2Col(
                p, [1, 8, 4], [32, 4, 1], [8, 4], layout, pixel_box_lower_corner=corner, pixel_box_upper_corner=corner
            )
        runpy.run_path(str(file))["example"][(1,)](p, desc, images, num_warps=warps, num_ctas=num_ctas)
        flush(device)
