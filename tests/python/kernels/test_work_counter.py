"""The counters of a launch. A stand-in replaces PyTorch, so the tests need no GPU."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from hocket.kernels._common import work_counter


class Tensor:
    def __init__(self, numbers, device):
        self.numbers, self.device = numbers, device

    def __getitem__(self, places):
        return Tensor(self.numbers[places], self.device)

    def get_device(self):
        return int(self.device[-1])

    def unbind(self):
        return [Tensor(row, self.device) for row in self.numbers]


@pytest.fixture
def torch(monkeypatch):
    """Counts waits for a stream; `is_capturing` says whether a graph captures."""
    torch = SimpleNamespace(Tensor=Tensor, int32=np.int32, waits=0, is_capturing=False)

    def wait():
        torch.waits += 1

    torch.zeros = lambda shape, dtype, device: Tensor(np.zeros(shape, dtype), device)
    torch.cuda = SimpleNamespace(current_stream=lambda device: SimpleNamespace(synchronize=wait))
    torch._C = SimpleNamespace(_cuda_isCurrentStreamCapturing=lambda: torch.is_capturing)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(work_counter, "_pools", {})
    return torch


def test_launches_alternate_between_counters(torch):
    array = Tensor(np.ones(3), "cuda:0")
    taken = [work_counter.counters_for(array) for _ in range(work_counter.SETS + 1)]
    addresses = [counters.numbers.ctypes.data for counters in taken]
    assert len(set(addresses)) == work_counter.SETS
    assert addresses[-1] == addresses[0]
    assert np.diff(sorted(set(addresses))).min() == 4 * work_counter.COUNTERS
    assert all((counters.numbers == np.zeros(work_counter.COUNTERS)).all() for counters in taken)
    assert torch.waits == 1  # other streams may take the first ones, too


def test_each_gpu_has_its_own(torch):
    first, second = (work_counter.counters_for(Tensor(np.ones(3), device)) for device in ("cuda:0", "cuda:1"))
    assert (first.device, second.device) == ("cuda:0", "cuda:1")


def test_captured_launches_get_one_that_no_other_launch_takes(torch, monkeypatch):
    array = Tensor(np.ones(3), "cuda:0")
    monkeypatch.setattr(work_counter, "zeros_like", lambda array, shape, dtype: (shape, dtype))
    torch.is_capturing = True
    assert work_counter.counters_for(array) == ((work_counter.COUNTERS,), "int32")
    assert not work_counter._pools


def test_arrays_that_are_emulated_get_a_new_one():
    first, second = (work_counter.counters_for(np.ones(3, np.float16)) for _ in range(2))
    assert first.tolist() == second.tolist() == [0] * work_counter.COUNTERS
    assert first is not second
