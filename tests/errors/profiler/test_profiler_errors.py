"""Mistakes with sessions of the profiler and with profiles, and their messages."""

import numpy as np
import pytest

import hocket
from hocket import LaunchError, profiler
from hocket import language as gl


@hocket.jit
def iota(out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK)
    gl.store(out + i, i)


def profile():
    with profiler.session("iota") as session:
        iota[(1,)](np.zeros(64, np.int32), 64)
    return session


NOT_ENTERED = (
    'the session "early" was not entered, so nothing is recorded\n  hint: launch kernels inside `with session:`'
)

#: Function to call, the type of the error, and its message.
MISTAKES = {
    "a summary without `with`": (lambda: profiler.session("early").summary(), LaunchError, NOT_ENTERED),
    "records without `with`": (lambda: profiler.session("early").records(), LaunchError, NOT_ENTERED),
    "an explanation without `with`": (lambda: profiler.session("early").explain(), LaunchError, NOT_ENTERED),
    "a picture without `with`": (lambda: profiler.session("early").picture(), LaunchError, NOT_ENTERED),
    "no folder to write to": (
        lambda: profiler.session("a", out="missing/trace.json"),
        LaunchError,
        "out='missing/trace.json': there is no folder missing",
    ),
    "a folder to write to": (
        lambda: profiler.session("a", out="/tmp"),
        LaunchError,
        "out='/tmp' is a folder\n  hint: name a file in it, such as /tmp/trace.json",
    ),
    "no path to write to": (lambda: profiler.session("a", out=3), LaunchError, "out must be a path, not 3"),
    "another launch": (lambda: profile().raw(5), LaunchError, "there is no launch 5; 1 were recorded"),
    "a picture of another launch": (
        lambda: profile().picture(launch=-2),
        LaunchError,
        "there is no launch -2; 1 were recorded",
    ),
    "a launch that is a text": (
        lambda: profile().raw("0"),
        LaunchError,
        "launch must be the number of a launch, not '0'",
    ),
    "another block": (
        lambda: profile().picture(block=7),
        ValueError,
        "no slice of block 7 of launch 0 was recorded; there are slices of blocks 0 to 0",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    write, kind, message = MISTAKES[name]
    with pytest.raises(kind) as caught:
        write()
    assert str(caught.value) == message


def test_a_session_that_was_not_entered_can_be_shown():
    session = profiler.session("early")
    assert repr(session) == "<Session 'early', new: 0 launches>" and session._repr_html_() is None
