"""The bottleneck of loops whose bottleneck is known."""

import pytest
from encoder import BEGIN, END, Encoder, Facts, Site
from profiles import producer_and_consumer, profile_of, warp_pipeline

from hocket.errors import LaunchError


def waits(explanation, actor):
    return {wait.waits_for: round(wait.cycles) for wait in explanation.waiting if wait.actor == actor}


def test_the_longer_stage_of_a_warp_pipeline_bounds_it():
    explanation = profile_of(warp_pipeline(load=100, compute=300)).explain()
    assert (explanation.bound, explanation.bound_actor, explanation.place) == ("compute", "both groups", "kernel.py:14")
    assert explanation.cycles == 600  # each group computes while the other one loads
    assert explanation.gain == pytest.approx((600 - 200) / 600)
    assert explanation.explained == pytest.approx(1)
    assert waits(explanation, "group 0") == {"compute": 200} == waits(explanation, "group 1")
    assert [(w.actor, w.name, w.cycles) for w in explanation.work if w.actor == "group 1"] == [
        ("group 1", "load", 100),
        ("group 1", "compute", 300),
    ]


def test_repairing_the_stage_moves_the_bound():
    explanation = profile_of(warp_pipeline(load=700, compute=300)).explain()
    assert explanation.bound == "load"
    assert explanation.gain == pytest.approx((1400 - 600) / 1400)


def test_equal_stages_leave_nothing_to_wait_for():
    explanation = profile_of(warp_pipeline(load=250, compute=250)).explain()
    assert explanation.waiting == ()
    assert explanation.gain == 0  # the other one takes as long


def test_one_group_is_slower():
    """Its memory is further away: the steps in which it loads are the long ones."""
    explanation = profile_of(warp_pipeline(load=100, compute=200, second=(500, 200))).explain()
    assert (explanation.bound, explanation.cycles) == ("load", 700)
    # Without loads both steps take as long as computing does.
    assert explanation.gain == pytest.approx((700 - 400) / 700)


def test_barriers_take_time_that_no_stage_has():
    explanation = profile_of(warp_pipeline(load=100, compute=300, barrier=200)).explain()
    assert explanation.cycles == 1000
    assert waits(explanation, "group 0") == {"compute": 200}
    assert [w.cycles for w in explanation.work if w.name == "unrecorded work"] == [400, 400]
    assert (explanation.bound, explanation.explained) == ("compute", pytest.approx(1))
    assert explanation.gain == pytest.approx((1000 - 600) / 1000)


def test_a_model_that_does_not_fit_says_so():
    """With one buffer, producer and consumer alternate: the longer of their activities is half of the iteration."""
    explanation = profile_of(producer_and_consumer(load=400, multiply=500, slots=1)).explain()
    assert explanation.cycles == 900
    assert explanation.explained == pytest.approx(5 / 9)
    assert not explanation.is_reliable
    assert str(explanation).endswith(
        "\n  careful: what is recorded accounts for 56% of the iteration, so the bound and the gain may be wrong"
    )


@pytest.mark.parametrize("has_waits", (True, False))
def test_a_slow_consumer(has_waits):
    explanation = profile_of(producer_and_consumer(load=200, multiply=500, waits=has_waits)).explain()
    assert (explanation.bound, explanation.bound_actor) == ("multiply", "default")
    assert explanation.cycles == 500
    assert explanation.gain == pytest.approx(0.6)
    assert waits(explanation, "producer") == {"multiply": 300}
    assert waits(explanation, "default") == {}


@pytest.mark.parametrize("has_waits", (True, False))
def test_a_slow_producer(has_waits):
    explanation = profile_of(producer_and_consumer(load=900, multiply=500, waits=has_waits)).explain()
    assert (explanation.bound, explanation.bound_actor) == ("copy tiles", "producer")
    assert explanation.cycles == 900
    assert explanation.gain == pytest.approx(4 / 9)
    assert waits(explanation, "default") == {"copy tiles": 400}


def test_a_group_that_works_alone():
    sites = [Site(0, "load", line=5), Site(1, "add", line=6)]
    encoder = Encoder(Facts(sites, [0]))
    for iteration in range(10):
        encoder.span(0, 0, 1000 * iteration, 1000 * iteration + 600)
        encoder.span(0, 1, 1000 * iteration + 600, 1000 * iteration + 700)
    explanation = profile_of(encoder).explain()
    assert (explanation.bound, explanation.bound_actor) == ("load", "group 0")
    assert explanation.gain == pytest.approx(0.6)
    assert str(explanation) == (
        "kernel, block 0: an iteration takes 1000 cycles (7 iterations)\n"
        "  bound by load (kernel.py:5) of group 0\n"
        "  group 0: load 600 cycles\n"
        "  group 0: add 100 cycles\n"
        "  group 0: unrecorded work 300 cycles\n"
        "  if load took no time, an iteration would be 60% shorter"
    )


def test_unrecorded_work_may_be_the_bottleneck():
    encoder = Encoder(Facts([Site(0, "load")], [0]))
    for iteration in range(10):
        encoder.span(0, 0, 1000 * iteration, 1000 * iteration + 100)
    explanation = profile_of(encoder).explain()
    assert explanation.bound == "unrecorded work"
    assert explanation.gain == pytest.approx(0.9)


def test_a_wait_for_what_is_in_flight():
    """One group waits for its own copies, which a token shows."""
    sites = [Site(0, "issue"), Site(1, "wait for copies"), Site(2, "use"), Site(3, "copy", "token", payload=True)]
    encoder = Encoder(Facts(sites, [0]))
    for iteration in range(10):
        start = 1000 * iteration
        encoder.write(0, BEGIN, 0, start)
        encoder.write(0, BEGIN, 3, start + 10, iteration)
        encoder.write(0, END, 0, start + 20)
        encoder.write(0, BEGIN, 1, start + 20)
        encoder.write(0, END, 3, start + 895, iteration)
        encoder.write(0, END, 1, start + 900)
        encoder.span(0, 2, start + 900, start + 1000)
    explanation = profile_of(encoder).explain()
    assert waits(explanation, "group 0") == {"copy": 880}


def test_a_slot_is_freed_in_the_middle_of_the_work():
    """A wait that ends before the scope that it waits for."""
    sites = [Site(0, "wait for room"), Site(1, "fill"), Site(2, "use")]
    facts = Facts(sites, [0, 4], group_of_warp=[0] * 5, partition_of_warp=[""] * 4 + ["producer"])
    encoder = Encoder(facts)
    for iteration in range(12):
        encoder.span(0, 2, 1000 * iteration, 1000 * iteration + 1000)
        encoder.span(1, 0, 1000 * iteration + 100, 1000 * iteration + 600)
        encoder.span(1, 1, 1000 * iteration + 600, 1000 * iteration + 1100)
    assert waits(profile_of(encoder).explain(), "producer") == {"use": 500}


@pytest.mark.parametrize(
    ("mma", "softmax", "iteration", "bound", "gain"),
    (
        (200, 500, 700, "softmax", 3 / 7),  # the other group's products are all that is left: 2 x 200
        (300, 350, 650, "mma", 300 / 650),
        (400, 250, 800, "mma", 550 / 800),  # as long as with barriers
    ),
)
def test_alternating_groups(mma, softmax, iteration, bound, gain):
    """Exclusive stages: while one group executes its MMAs, the other one cannot, and computes its softmax."""
    sites = [Site(0, "mma", "stage", stage=0, exclusive=True), Site(1, "softmax", "stage", stage=1)]
    encoder = Encoder(Facts(sites, [0, 4], group_of_warp=[0] * 4 + [1] * 4))
    free, ready = 0, [0, 0]
    for number in range(20):
        for group in (0, 1):
            start = max(free, ready[group])
            encoder.span(group, 0, start, start + mma, number)
            encoder.span(group, 1, start + mma, start + mma + softmax, number)
            free, ready[group] = start + mma, start + mma + softmax
    explanation = profile_of(encoder).explain()
    assert (explanation.bound, explanation.cycles) == (bound, iteration)
    assert explanation.explained == pytest.approx(1)
    assert explanation.gain == pytest.approx(gain)


# Profiles without an explanation --------------------------------------------------------------------------------------


def test_nothing_inside_warps():
    encoder = Encoder(Facts([Site(0, "warp", "warp")], [0]))
    encoder.span(0, 0, 0, 100)
    with pytest.raises(LaunchError) as raised:
        profile_of(encoder, kernel="gemm").explain()
    assert str(raised.value) == (
        "nothing inside the warps of gemm was recorded, so its bottleneck is unknown\n"
        "  hint: put `with profiler.scope(...)` around the parts of its loop"
    )


def test_too_few_iterations():
    encoder = Encoder(Facts([Site(0, "load")], [0]))
    for iteration in range(3):
        encoder.span(0, 0, 100 * iteration, 100 * iteration + 50)
    with pytest.raises(LaunchError) as raised:
        profile_of(encoder, kernel="gemm").explain()
    assert str(raised.value) == (
        "the loop of gemm was recorded for 3 iterations; its steady state needs at least 4\n"
        "  hint: profile a longer loop, or give the session a larger buffer"
    )


def test_no_loop():
    encoder = Encoder(Facts([Site(0, "load"), Site(1, "store")], [0]))
    encoder.span(0, 0, 0, 50)
    encoder.span(0, 1, 50, 80)
    with pytest.raises(LaunchError) as raised:
        profile_of(encoder, kernel="softmax").explain()
    assert str(raised.value) == (
        "nothing in softmax was recorded more than once by a warp, so there is no loop to explain\n"
        "  hint: put `with profiler.scope(...)` around the parts of a loop; summary() shows the time of each"
    )


def test_no_such_block():
    with pytest.raises(LaunchError, match=r"^nothing was recorded of block 5; there are blocks 0 to 0$"):
        profile_of(warp_pipeline(10, 20)).explain(block=5)
