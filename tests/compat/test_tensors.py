"""PyTorch's tensors "on the GPU" of an emulated process: where they are, and that moving copies."""

import pytest

pytest.importorskip("torch")

PROGRAM = """
import numpy as np, torch

# Where tensors are.
x = torch.ones(4, device="cuda")
assert x.is_cuda and not x.is_cpu and x.device == torch.device("cuda", 0) and x.get_device() == 0
assert not torch.ones(4).is_cuda and torch.ones(4).device.type == "cpu" and torch.ones(4).get_device() == -1
assert (x + 1).is_cuda and x[1:].is_cuda and x.view(2, 2).is_cuda and torch.empty_like(x).is_cuda
assert (x + torch.tensor(1.0)).is_cuda and x.new_zeros(3).is_cuda and x.to(torch.float16).is_cuda
assert torch.zeros(3, device=x.device).is_cuda and torch.zeros(3, device=0).is_cuda
assert not torch.zeros(3, device="cpu").is_cuda and not torch.zeros_like(x, device="cpu").is_cuda
assert x.cpu().device.type == "cpu" and torch.ones(2).cuda().is_cuda and torch.ones(2).to(x).is_cuda
assert torch.ones(2).to(0).is_cuda and torch.ones(2).to("cuda:0", torch.int32).dtype == torch.int32
assert torch.device(0) == torch.device("cuda", 0)

# Moving copies; views and in-place operations do not.
host = x.cpu()
x += 1
assert host.tolist() == [1.0] * 4 and x.is_cuda
data = np.zeros(3, np.float32)
moved = torch.from_numpy(data).cuda()
shared = torch.as_tensor(data, device="cuda")
data[:] = 5
assert moved.tolist() == [0.0] * 3 and shared.tolist() == [0.0] * 3 and shared.is_cuda
assert not torch.from_numpy(data).is_cuda
assert x.cuda() is x or x.cuda().data_ptr() == x.data_ptr()
try:
    x.numpy()
except TypeError as error:
    assert "Tensor.cpu()" in str(error)
else:
    raise AssertionError
torch.testing.assert_close(x, torch.full((4,), 2.0, device="cuda"))
try:
    torch.testing.assert_close(x, torch.full((4,), 2.0))
except AssertionError as error:
    assert "device" in str(error)
else:
    raise AssertionError

# Gradients, modules, default devices, random numbers.
w = torch.ones(3, device="cuda", requires_grad=True)
(w * 2).sum().backward()
assert w.grad.is_cuda and w.grad.tolist() == [2.0] * 3
layer = torch.nn.Linear(3, 2).cuda()
assert layer.weight.is_cuda and layer(w).is_cuda
with torch.device("cuda"):
    assert torch.ones(2).is_cuda
torch.set_default_device("cuda")
assert torch.ones(2).is_cuda and torch.arange(3).is_cuda
torch.set_default_device("cpu")
assert not torch.ones(2).is_cuda
torch.manual_seed(3)
a = torch.randn(3, device="cuda")
torch.cuda.manual_seed(3)
assert torch.equal(a, torch.randn(3, device="cuda"))
g = torch.Generator(device="cuda").manual_seed(1)
assert torch.rand(2, device="cuda", generator=g).is_cuda
assert torch.empty(2, pin_memory=True).pin_memory().tolist() is not None

# What is said of the GPU.
assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
torch.cuda.synchronize()
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record(), end.record()
assert start.elapsed_time(end) >= 0
with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
    pass
print(torch.cuda.get_device_capability(), torch.cuda.get_device_name(), bool(torch.version.hip),
      torch.cuda.get_device_properties(0).multi_processor_count)

import triton
target = triton.runtime.driver.active.get_current_target()
print(target.backend, target.arch, target.warp_size)
from triton._internal_testing import is_cuda, is_hip, is_hopper, is_hip_cdna4
print(is_cuda(), is_hip(), is_hopper(), is_hip_cdna4())
"""


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("sm_90a", ["(9, 0) NVIDIA H100 80GB HBM3 False 132", "cuda 90 32", "True False True False"]),
        ("gfx950", ["(9, 5) AMD Instinct MI355X True 256", "hip gfx950 64", "False True False True"]),
    ],
)
def test_tensors_and_queries(python, target, lines):
    status, output = python(PROGRAM, "--emulate", target)
    assert (status, output.splitlines()[-3:]) == (0, lines), output
