"""Variants of norms that a call, a module, a block or the environment forces: which one has precedence, and what the
explanation and the errors contain."""

import threading

import numpy as np
import pytest

from hocket.errors import LaunchError
from hocket.kernels import norms
from hocket.kernels.norms import launch
from hocket.launch_cache import LaunchCache

FORWARD = (4096, 1024, "bfloat16", "rms_norm")
BACKWARD = (4096, 1024, "bfloat16", "rms_norm_backward")


def reason(plan):
    return next(line for line in plan.reasons if line.startswith("chosen by"))


def test_a_block_forces_both_passes():
    assert norms.choose(*FORWARD).schedule != "streaming"
    with norms.force_schedule("streaming"):
        for problem in (FORWARD, BACKWARD):
            plan = norms.choose(*problem)
            assert plan.schedule == "streaming"
            assert reason(plan).startswith("chosen by `with norms.force_schedule(...)`: the model predicts ")
    assert norms.choose(*FORWARD).schedule != "streaming"


def test_the_environment_forces_both_passes(set_norm_schedule):
    set_norm_schedule("streaming")
    for problem in (FORWARD, BACKWARD):
        plan = norms.choose(*problem)
        assert plan.schedule == "streaming"
        assert reason(plan).startswith("chosen by HOCKET_NORM_SCHEDULE: the model predicts ")


def test_the_order_of_precedence(set_norm_schedule):
    set_norm_schedule("streaming")
    with norms.force_schedule("staged"):
        assert norms.choose(*FORWARD).schedule == "staged"
        argument = norms.choose(*FORWARD, schedule="multi-wave")
        assert argument.schedule == "multi-wave" and reason(argument).startswith("chosen by the caller: ")
        # A policy is an argument, too.
        assert norms.choose(*FORWARD, policy="nvfuser").reasons[0].startswith("nvFuser's rule: ")
    assert norms.choose(*FORWARD).schedule == "streaming"


@pytest.mark.parametrize("schedule", [{"backward": "cluster"}, "backward=cluster", "cluster"], ids=str)
def test_one_pass(schedule):
    """Variants of gradients only leave the forward pass alone, and so do variants of one pass."""
    with norms.force_schedule(schedule):
        assert norms.choose(4096, 16384, "bfloat16", "rms_norm_backward").schedule == "cluster"
        forward = norms.choose(4096, 16384, "bfloat16", "rms_norm")
        assert not any(line.startswith("chosen by") for line in forward.reasons)


def test_nested_blocks_have_precedence_for_their_passes():
    with norms.force_schedule("streaming"):
        with norms.force_schedule({"forward": "multi-wave"}):
            assert norms.choose(*FORWARD).schedule == "multi-wave"
            assert norms.choose(*BACKWARD).schedule == "streaming"
        assert norms.choose(*FORWARD).schedule == "streaming"


def test_the_environment_has_the_pass_that_a_block_leaves(set_norm_schedule):
    set_norm_schedule("forward=staged, backward=streaming")
    with norms.force_schedule("warp-specialised"):
        assert norms.choose(*FORWARD).schedule == "staged"
        assert norms.choose(*BACKWARD).schedule == "warp-specialized"


@pytest.fixture
def launched(monkeypatch):
    """The variants whose kernels are launched, in order."""
    names = []

    class Kernel:
        def __init__(self, name):
            self.name = name

        def __getitem__(self, grid):
            return lambda *arguments, **options: names.append(self.name)

    for table in ("_FORWARD", "_BACKWARD"):
        kernels = {name: Kernel(name) for name in getattr(launch, table)}
        monkeypatch.setattr(launch, table, kernels)
    for name in ("forwards", "backwards"):
        monkeypatch.setattr(launch, name, LaunchCache(getattr(launch, name).prepare))
    return names


def test_launches_obey(set_norm_schedule, launched):
    """The cache of launches distinguishes equal arrays in different blocks."""
    x, weight, rstd = np.ones((4, 1024), np.float32), np.ones(1024, np.float32), np.ones(4, np.float32)

    def both():
        norms.rms_norm(x, weight)
        norms.rms_norm_backward(x, x, weight, rstd)

    chosen = [norms.choose(4, 1024, "float32", op, x).schedule for op in ("rms_norm", "rms_norm_backward")]
    both()
    with norms.force_schedule({"forward": "staged", "backward": "warp-specialized"}):
        both()
    set_norm_schedule("streaming")
    both()
    norms.rms_norm(x, weight, schedule="multi-wave")
    set_norm_schedule("")
    both()
    staged = ["staged", "warp-specialized"]
    assert launched == [*chosen, *staged, "streaming", "streaming", "multi-wave", *chosen]


def test_other_threads_are_inside_the_block():
    """Autograd runs backward passes in threads of its own."""
    seen = []
    with norms.force_schedule("streaming"):
        thread = threading.Thread(target=lambda: seen.append(norms.choose(*BACKWARD).schedule))
        thread.start()
        thread.join()
    assert seen == ["streaming"]


def test_threads_that_disagree():
    """A thread without a block cannot follow two others."""
    entered, done = threading.Barrier(3), threading.Event()

    def force(schedule):
        with norms.force_schedule(schedule):
            entered.wait()
            done.wait()

    threads = [threading.Thread(target=force, args=(schedule,)) for schedule in ("streaming", "multi-wave")]
    for thread in threads:
        thread.start()
    entered.wait()
    try:
        with pytest.raises(LaunchError) as caught:
            norms.choose(*FORWARD)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert str(caught.value) == (
        "norms: this thread forces no schedule, and other threads force different ones: "
        "forward=multi-wave,backward=multi-wave, forward=streaming,backward=streaming\n"
        "  hint: put the launch into a `with norms.force_schedule(...)` of its own thread"
    )


KNOWN = "multi-wave, warp-specialized, cluster, staged, streaming"


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("persistent", f"norms: schedule is one of {KNOWN}, not 'persistent'"),
        (4, f"norms: schedule is one of {KNOWN}, not 4"),
        ({"backward": "fast"}, f"norms: schedule of the backward pass is one of {KNOWN}, not 'fast'"),
        ({"gradients": "staged"}, "norms: schedule has a variant for 'gradients'; the passes are forward and backward"),
        ("forward=staged,staged", "norms: schedule has a variant for 'staged'; the passes are forward and backward"),
    ],
    ids=str,
)
def test_unknown_variants_are_refused_where_the_block_begins(schedule, message):
    with pytest.raises(LaunchError) as caught:
        norms.force_schedule(schedule)
    assert str(caught.value) == message


def test_an_unknown_variant_of_the_environment(set_norm_schedule):
    set_norm_schedule("persistent")
    with pytest.raises(LaunchError) as caught:
        norms.choose(*FORWARD)
    assert str(caught.value) == f"norms: HOCKET_NORM_SCHEDULE is one of {KNOWN}, not 'persistent'"


def test_a_variant_that_does_not_fit():
    """The error names what forces the variant, and what is possible."""
    with norms.force_schedule("staged"), pytest.raises(LaunchError) as caught:
        norms.choose(*BACKWARD)
    assert str(caught.value).endswith(
        "\n  hint: `with norms.force_schedule(...)` forces staged: force one of multi-wave, warp-specialized, "
        "streaming, or force staged for the forward pass only: {'forward': 'staged'}"
    )


def test_a_variant_of_the_environment_that_does_not_fit(set_norm_schedule):
    set_norm_schedule("cluster")
    assert norms.choose(*FORWARD, "gfx950").schedule
    with pytest.raises(LaunchError) as caught:
        norms.choose(*BACKWARD, "gfx950")
    message, hint = str(caught.value).split("\n")
    assert message.startswith("rms_norm_backward: no cluster plan for 4096 x 1024 bfloat16 on gfx950: ")
    assert hint == "  hint: HOCKET_NORM_SCHEDULE forces cluster: force one of multi-wave, staged, streaming"


def test_a_block_without_with_is_an_error():
    norms.force_schedule("streaming")
    x = np.ones((4, 64), np.float32)
    with pytest.raises(LaunchError, match=r"norms\.force_schedule\('streaming'\) was called without `with`"):
        norms.rms_norm(x)
