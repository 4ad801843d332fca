"""Checks of all builtins of a module."""

import inspect

import hocket
from hocket import CompileError
from hocket import language as gl


def assert_documented_and_typed(stub):
    assert stub.__doc__.strip()
    signature = inspect.signature(stub)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())


@hocket.jit
def call_with_nones(function: gl.constexpr, count: gl.constexpr):
    function(*[None for _ in range(count)])


def objection_to_nones(emit, stub, **options):
    """Returns the message of the compiler for a call with None for every required argument, or "" if it accepts the
    call. It may reject the arguments, but not the builtin."""
    parameters = inspect.signature(stub).parameters.values()
    count = sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    try:
        emit(call_with_nones, function=stub, count=count, **options)
    except CompileError as error:
        return str(error)
    return ""
