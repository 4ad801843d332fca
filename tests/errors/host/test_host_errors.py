"""Mistakes of host_mistakes.py get the exact texts of test_host_errors.expected. `--update-errors` rewrites these."""

import pathlib
import traceback

import pytest
from host_mistakes import MISTAKES

import hocket

FILE = pathlib.Path(__file__).with_suffix(".expected")


def answer(name):
    """The error of a mistake, and its text after the name of its class."""
    with pytest.raises((hocket.HocketError, TypeError, ValueError, AttributeError)) as raised:
        MISTAKES[name]()
    return raised.value, f"{type(raised.value).__name__}: {raised.value}"


def expected():
    sections = FILE.read_text().split("== ")[1:]
    return {name: text.strip("\n") for name, _, text in (section.partition("\n") for section in sections)}


def test_every_text_has_its_mistake(request):
    if request.config.getoption("--update-errors"):
        FILE.write_text("\n".join(f"== {name}\n{answer(name)[1]}\n" for name in MISTAKES))
    assert expected().keys() == MISTAKES.keys()


@pytest.mark.parametrize("name", MISTAKES)
def test_the_text(name, request):
    if request.config.getoption("--update-errors"):
        pytest.skip("updating")
    assert answer(name)[1] == expected()[name]


@pytest.mark.parametrize("name", [name for name in MISTAKES if "tuned" in name or "configuration" in name])
def test_tracebacks_of_tuned_kernels_end_with_the_launch(name):
    error, _ = answer(name)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/hocket/" in frame.filename]
    assert len(ours) <= 1, frames
