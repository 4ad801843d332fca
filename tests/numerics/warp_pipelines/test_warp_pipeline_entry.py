"""Copies that are in flight where a warp pipeline begins: what is accepted runs, what is refused races.

A family of small programs: some copies in front, a pipeline of three stages that reads one slot of a ring and fills
another, one wait somewhere. Most cannot work. The compiler decides which; the emulator knows nothing of its reasons.
"""

import itertools
import re
from dataclasses import replace

import pytest
from copies_before_pipelines import LOOPS, READ, SHARED, Shape, add_tile, fill, in_a_loop, launch, offsets

import hocket
from hocket import _core
from hocket import language as gl
from hocket.errors import CompileError, RaceError
from hocket.language import amd
from hocket.runtime import emulated

pytestmark = pytest.mark.slow

IN_FLIGHT = "which is in flight when the pipeline begins"


@hocket.jit
def in_a_line(x, y, tiles, cfg: gl.constexpr):
    """Three tiles without a loop: nine stages, of which the first three fill no slot."""
    ring = gl.allocate_shared_memory(gl.float32, [cfg.slots, 32, 32], SHARED)
    acc = gl.full([32, 32], 0, gl.float32, READ)
    for k in gl.static_range(3):
        fill(ring, x, k, tiles, cfg)
    amd.cdna4.async_copy.wait_group(cfg.front)
    for k in gl.static_range(3):
        for stage in gl.static_range(3):
            if cfg.gap == stage and not (k == 0 and stage == 0):
                amd.cdna4.async_copy.wait_group(cfg.leave)
            if k == 0 and stage == 0:
                with amd.warp_pipeline_stage("first", phase_gap=cfg.lag):
                    if cfg.read == 0:
                        acc = add_tile(acc, ring, k, cfg)
            else:
                with amd.warp_pipeline_stage("other"):
                    if cfg.read == stage:
                        acc = add_tile(acc, ring, k, cfg)
                    if stage == 0:
                        fill(ring, x, k + 2, tiles, cfg)
    amd.cdna4.async_copy.wait_group(0)
    gl.store(y + offsets(READ), acc)


@hocket.jit
def in_a_row(x, y, tiles, cfg: gl.constexpr):
    """A line of three stages before a loop, which reads what was copied before it. One of the two waits."""
    ring = gl.allocate_shared_memory(gl.float32, [cfg.slots, 32, 32], SHARED)
    acc = gl.full([32, 32], 0, gl.float32, READ)
    for k in gl.static_range(4 - cfg.ahead):
        fill(ring, x, k, tiles, cfg)
    amd.cdna4.async_copy.wait_group(cfg.front)
    with amd.warp_pipeline_stage("first", phase_gap=cfg.lag):
        if cfg.ahead == 2:
            fill(ring, x, 2, tiles, cfg)
    if cfg.gap == 0:
        amd.cdna4.async_copy.wait_group(cfg.leave)
    with amd.warp_pipeline_stage("second"):
        pass
    with amd.warp_pipeline_stage("third"):
        pass
    for k in range(tiles):
        with amd.warp_pipeline_stage("fourth", phase_gap=cfg.lag):
            if cfg.read == 0:
                acc = add_tile(acc, ring, k, cfg)
        if cfg.gap == 1:
            amd.cdna4.async_copy.wait_group(cfg.leave)
        with amd.warp_pipeline_stage("fifth"):
            if cfg.read == 1:
                acc = add_tile(acc, ring, k, cfg)
        if cfg.gap == 2:
            amd.cdna4.async_copy.wait_group(cfg.leave)
        with amd.warp_pipeline_stage("sixth"):
            if cfg.read == 2:
                acc = add_tile(acc, ring, k, cfg)
    amd.cdna4.async_copy.wait_group(0)
    gl.store(y + offsets(READ), acc)


LINES = [
    (in_a_line, Shape(slots, 2, *rest))
    for slots, *rest in itertools.product((3, 4), (1, 2, 3), range(3), range(4), (1, 2), range(3))
]
ROWS = [
    (in_a_row, Shape(3, *rest)) for rest in itertools.product((1, 2), (1, 2, 3), range(3), range(3), (1, 2), range(3))
]


#: A fifth of all programs. Those are drawn evenly: 5 divides none of the counts of choices.
SAMPLE = [*LOOPS[::5], *LINES[::5], *ROWS[::5]]


def is_accepted(kernel, shape):
    """None if it is refused for what the pipeline does by itself."""
    try:
        launch(kernel, shape)
    except CompileError as error:
        return False if IN_FLIGHT in str(error) else None
    return True


def leave_in_flight(text, outstanding):
    """The lane form with another first wait. All barriers become fences: nothing the compiler could add would help."""
    text = text.replace('syncscope("singlethread")', 'syncscope("workgroup")')
    return re.sub(r"(lane\.async_wait_group \{outstanding = )0", rf"\g<1>{outstanding}", text, count=1)


def races(kernel, shape, monkeypatch):
    """Runs what was refused: compiled with all copies waited for in front, that wait then edited. None if that is
    refused, too."""

    class Core:
        def __getattr__(self, name):
            return self.compile_edited if name == "compile_emulated" else getattr(_core, name)

        @staticmethod
        def compile_edited(*request):
            facts, text = _core.lane_form(*request[:5])
            return facts, _core.emulate_lane(leave_in_flight(text, shape.front), facts.parameters)

    with monkeypatch.context() as patch:
        patch.setattr(emulated, "_core", Core())
        try:
            return not launch(hocket.jit(kernel.fn), replace(shape, front=0), keep_waits=True)
        except RaceError:
            return True
        except CompileError:
            return None


def test_accepted_programs_run():
    accepted = [program for program in SAMPLE if is_accepted(*program)]
    assert {kernel for kernel, _ in accepted} == {in_a_loop, in_a_line, in_a_row}
    for program in accepted:
        for seed, completion in enumerate(["late", "random", "random", "now"]):
            assert launch(*program, seed=seed, completion=completion), program


def test_refused_programs_race(monkeypatch):
    refused = [program for program in SAMPLE if is_accepted(*program) is False]
    assert {kernel for kernel, _ in refused} == {in_a_loop, in_a_line, in_a_row}
    verdicts = [races(*program, monkeypatch) for program in refused]
    assert False not in verdicts, refused[verdicts.index(False)]
    assert verdicts.count(True) > len(verdicts) / 2


def test_as_many_stages_as_the_lag_between_wait_and_read():
    shape = Shape(slots=4, ahead=2, front=3, gap=1, leave=2, lag=1, read=2)
    assert is_accepted(in_a_line, shape)
    assert is_accepted(in_a_line, replace(shape, read=1)) is False
    assert is_accepted(in_a_line, replace(shape, lag=2)) is False
    assert is_accepted(in_a_line, replace(shape, read=1, front=0))


def test_unrolled_loops_are_judged_like_plain_ones():
    """The remainder loop begins with copies in flight that the unrolled loop has issued."""
    loops = [shape for kernel, shape in SAMPLE if kernel is in_a_loop]
    for shape in loops:
        unrolled = replace(shape, factor=2)
        verdict = is_accepted(in_a_loop, shape)
        assert is_accepted(in_a_loop, unrolled) == verdict, shape
        for tiles in (0, 1, 2, 4, 5) if verdict else ():
            assert launch(in_a_loop, unrolled, tiles=tiles), (shape, tiles)


def test_loops_of_a_known_number_of_iterations():
    """A loop of one iteration becomes straight-line code. Code that is rejected in a long loop may be valid in a short
    one."""
    loops = [shape for kernel, shape in LOOPS if kernel is in_a_loop][::25]
    for shape, factor, tiles in itertools.product(loops, (1, 2), (1, 2, 3)):
        known = replace(shape, factor=factor, trips=tiles)
        try:
            assert launch(in_a_loop, known, tiles=tiles), known
        except CompileError:
            assert is_accepted(in_a_loop, shape) is not True, known


def test_hints_help_when_followed():
    followed = 0
    for kernel, shape in [*LOOPS[::5], *LINES[::5]]:
        try:
            launch(kernel, shape)
        except CompileError as error:
            if IN_FLIGHT not in str(error):
                continue
            hint = re.search(r"hint: wait for it before the pipeline, with wait_group\((\d)\)", str(error))
            assert is_accepted(kernel, replace(shape, front=int(hint[1]))), shape
            followed += 1
    assert followed > 10
