"""The text form of argument types."""

import pytest

pytestmark = pytest.mark.quick


def kernel(a, b):
    pass


@pytest.mark.parametrize(
    "text, type_and_attributes",
    [
        ("*f32:16", "!hk.ptr<f32> {hk.divisibility = 16 : i32}"),
        ("*i1", "!hk.ptr<i8>"),
        ("*bf16", "!hk.ptr<bf16>"),
        ("*f8e4nv", "!hk.ptr<f8E4M3FN>"),
        ("i32:16", "i32 {hk.divisibility = 16 : i32}"),
        ("i64", "i64"),
        ("u8", "i8"),
        ("u1", "i1"),
        ("i1", "i1"),
        ("f16", "f16"),
        ("f64", "f64"),
    ],
)
def test_types(emit, text, type_and_attributes):
    assert f"@kernel(%arg0: {type_and_attributes}, %arg1: i32)" in emit(kernel, f"{text}, i32")


@pytest.mark.parametrize("text", ["i32=1", "None"])
def test_known_arguments_are_not_in_the_signature(emit, text):
    assert "@kernel(%arg0: i32)" in emit(kernel, f"{text}, i32")


@pytest.mark.parametrize(
    "text, reason",
    [
        ("f31", "unknown type `f31`"),
        ("*f32:3", "power of two"),
        ("f32:16", "only pointers and integers have a divisibility"),
        ("*f32=1", "the value of an integer"),
        ("i32=x", "the value of an integer"),
    ],
)
def test_mistakes(emit, text, reason):
    with pytest.raises(ValueError, match=reason):
        emit(kernel, f"{text}, i32")


def test_wrong_count(emit):
    with pytest.raises(ValueError, match="no entry for the parameter `b`"):
        emit(kernel, "i32")
    with pytest.raises(ValueError, match="too many entries: 1 left over"):
        emit(kernel, "i32, i32, i32")
