"""HIP's stand-in, whose device memory is host memory and whose kernels run in the emulator."""

import pytest
from stand_in import StandIn

import hocket

_STAND_IN = StandIn()


@pytest.fixture
def hip():
    assert hocket._core.hip.device_count == 16, "the stand-in was not loaded"
    with _STAND_IN.no_surprises():
        yield _STAND_IN
