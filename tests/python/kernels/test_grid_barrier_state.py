"""The state of the grid barrier of a launch. A stand-in replaces PyTorch, so the tests need no GPU."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from hocket.kernels.norms import cells


class Tensor:
    def __init__(self, numbers, device=0):
        self.numbers, self.device = numbers, device

    def __getitem__(self, part):
        return Tensor(self.numbers[part], self.device)

    def new_zeros(self, size, dtype):
        return Tensor(np.zeros(size, dtype), self.device)

    def get_device(self):
        return self.device

    @property
    def address(self):
        return self.numbers.ctypes.data


@pytest.fixture
def torch(monkeypatch):
    """Counts waits for a stream. `stream` is the current stream, and `is_capturing` is True while a graph captures."""
    torch = SimpleNamespace(int32=np.int32, stream=0, is_capturing=False, waits=0)

    def wait():
        torch.waits += 1

    torch.zeros = lambda size, dtype: Tensor(np.zeros(size, dtype), -1)
    torch._C = SimpleNamespace(_cuda_getCurrentRawStream=lambda device: torch.stream)
    torch.cuda = SimpleNamespace(
        is_current_stream_capturing=lambda: torch.is_capturing,
        current_stream=lambda device: SimpleNamespace(synchronize=wait),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(cells, "_pools", {})
    monkeypatch.setattr(cells, "_of_streams", {})
    return torch


def state(device=0):
    taken = cells.cells_for(Tensor(np.ones(3), device))
    assert taken.device == device and taken.numbers.tolist() == [0, 0]
    return taken.address


def test_launches_on_one_stream_share_the_state(torch):
    assert state() == state()
    assert torch.waits == 1  # other streams take later states of the pool


def test_streams_and_gpus_have_states_of_their_own(torch):
    addresses = []
    for device in (0, 1):
        for torch.stream in (0, 7):
            addresses.append(state(device))
    assert len(set(addresses)) == 4


def test_each_captured_launch_has_its_own_state(torch):
    plain = state()
    torch.is_capturing = True
    assert len({plain, state(), state()}) == 3


def test_emulated_launches_get_a_new_state(torch):
    taken = cells.cells_for(Tensor(np.ones(3), -1)), cells.cells_for(np.ones(3))
    assert [list(getattr(numbers, "numbers", numbers)) for numbers in taken] == [[0, 0]] * 2
