"""What holds for every builtin, whichever module it is in."""

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
    """What the compiler says of a call with None for every argument without a default; "" if it accepts that. It may
    object to the arguments, but it knows the builtin."""
    parameters = inspect.signature(stub).parameters.values()
    count = sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    try:
        emit(call_with_nones, function=stub, count=count, **options)
    except CompileError as error:
        return str(error)
    return ""
