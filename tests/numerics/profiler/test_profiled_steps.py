"""A profiling session around a whole step of a model, and its records in the trace of PyTorch's profiler.

On a GPU (`--target cuda`), the trace is that of `torch.profiler`, and the records of each launch lie in its row. On the
emulator, PyTorch's trace has no rows of kernels; `tests/python/profiler/test_torch_traces.py` writes them.
"""

import json
import threading

import pytest

torch = pytest.importorskip("torch")

import hocket.torch  # noqa: E402
from hocket import profiler  # noqa: E402

pytestmark = pytest.mark.slow

#: Kernels of one step, in order.
KERNELS = ["norm", "matmul", "norm", "norm_backward", "matmul", "matmul", "norm_backward"]


class Model(torch.nn.Module):
    """Two norms and a linear layer, all of them Hocket's."""

    def __init__(self, columns):
        super().__init__()
        self.first, self.second = hocket.torch.RMSNorm(columns), hocket.torch.LayerNorm(columns)
        self.weight = torch.nn.Parameter(torch.randn(columns, columns) / columns**0.5)

    def forward(self, x):
        return self.second(hocket.torch.matmul(self.first(x), self.weight))


@pytest.fixture
def step(hopper_device):
    place = "cuda" if hopper_device.is_gpu else "cpu"
    rows, columns = (4096, 1024) if hopper_device.is_gpu else (32, 64)
    model = Model(columns).to(place, torch.bfloat16)
    x = torch.randn(rows, columns, device=place, dtype=torch.bfloat16, requires_grad=True)

    def step():
        model.zero_grad()
        model(x).float().square().sum().backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    return step


def kind(kernel):
    """The name of KERNELS for a kernel."""
    if "matmul" in kernel or "multipl" in kernel or "gemm" in kernel:
        return "matmul"
    return "norm_backward" if kernel.startswith("backward") else "norm"


def test_all_kernels_of_a_step_are_recorded(step):
    """Those of autograd's threads, too, and the results are the same bits."""
    expected = step()
    with profiler.session("step") as profile:
        result = step()
    assert [kind(launch.kernel) for launch in profile.launches] == KERNELS
    assert all(launch.decoded.missing_blocks == 0 and len(launch.spans) for launch in profile.launches)
    assert all(torch.equal(a, b) for a, b in zip(result, expected, strict=True))
    begins = [launch.decoded.steady_origin for launch in profile.launches]
    assert begins == sorted(begins) or any(launch.is_model for launch in profile.launches)


def test_backward_passes_of_another_thread_are_recorded(step):
    with profiler.session("step") as profile:
        thread = threading.Thread(target=step)
        thread.start()
        thread.join()
    assert len(profile.launches) == len(KERNELS)


def test_steps_outside_of_the_session_are_not_recorded(step):
    with profiler.session("step") as profile:
        step()
    step()
    assert len(profile.launches) == len(KERNELS)


def test_records_are_in_the_rows_of_torchs_trace(hopper_device, step, tmp_path):
    path = tmp_path / "step.json"
    step()
    with torch.profiler.profile() as steps:
        if hopper_device.is_gpu:
            step()
        with profiler.session("step") as profile:
            step()
        if hopper_device.is_gpu:
            step()
            torch.cuda.synchronize()
    steps.export_chrome_trace(str(path))
    if not hopper_device.is_gpu:
        with pytest.raises(hocket.LaunchError, match="the launches ran on the emulator"):
            profile.merge_into(path)
        return
    before = json.loads(path.read_text())["traceEvents"]
    profile.merge_into(path)
    events = json.loads(path.read_text())["traceEvents"]
    names = {launch.kernel for launch in profile.launches}
    rows = [e for e in events if e.get("cat") == "kernel" and e["name"].split("(")[0] in names]
    count = len(profile.launches)
    assert count >= len(KERNELS) and len(rows) == 3 * count
    # The middle one of the three steps.
    rows = sorted(rows, key=lambda event: event["ts"])[count : 2 * count]
    recorded = [e for e in events[len(before) :] if e["ph"] == "X"]
    assert {event["args"]["launch"] for event in recorded} == set(range(count))
    for event in recorded:
        row = rows[event["args"]["launch"]]
        assert row["pid"] == event["pid"]
        assert row["ts"] - 0.1 <= event["ts"] and event["ts"] + event["dur"] <= row["ts"] + row["dur"] + 0.1
