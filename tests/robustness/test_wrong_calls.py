"""The quick part of wrong_arguments.py and wrong_host_arguments.py: some calls of each, others in each version."""

import random

import pytest
import wrong_arguments
import wrong_host_arguments

pytestmark = pytest.mark.slow

#: Calls of the language, and of the package.
IN_KERNELS, ON_THE_HOST = 400, 80


def test_calls_in_kernels():
    answers = wrong_arguments.sampled(IN_KERNELS)
    wrong = [f"{found.call}: {found.objection}\n{found.text}" for found in answers if found.objection]
    assert not wrong, "\n".join(wrong)
    assert sum(found.kind == "CompileError" for found in answers) > IN_KERNELS / 2


def test_calls_on_the_host():
    calls = random.Random(0).sample(wrong_host_arguments.all_calls(), ON_THE_HOST)
    answers = [wrong_host_arguments.answer(call) for call in calls]
    wrong = [f"{found.call}: {found.objection}\n{found.text}" for found in answers if found.objection]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", wrong_host_arguments.CALLS)
def test_right_calls_are_accepted(call):
    found = wrong_host_arguments.answer(call)
    assert found.error is None, found.text
