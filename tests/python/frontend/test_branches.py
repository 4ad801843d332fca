"""`if` at compile time and at run time, conditional expressions, `and`/`or`, early return."""

import pytest

import hocket
import hocket.language as gl

pytestmark = pytest.mark.quick

LINE = gl.BlockedLayout([1], [32], [4], [0])


def known_condition(out, FAST: gl.constexpr):
    if FAST:
        gl.store(out, 1.0)
    elif undefined_name:  # noqa: F821 (not visited)
        gl.store(out, 2.0)
    else:
        try:  # not visited either
            pass
        finally:
            pass


def test_only_the_taken_branch_is_visited(emit, check):
    ir = emit(known_condition, "*f32", FAST=True)
    check(ir, "1.000000e+00")
    assert "2.000000e+00" not in ir
    assert "scf.if" not in ir


def merged(out, n):
    value = 1.0
    if n > 10:
        value = 2.0
    elif n > 5:
        value = 3.0
    gl.store(out, value)


def test_assigned_names_become_results(emit, check):
    check(
        emit(merged, "*f32, i32"),
        """
        arith.cmpi sgt
        = scf.if %{{.*}} -> (f32)
          scf.yield
        } else {
          arith.cmpi sgt
          = scf.if %{{.*}} -> (f32)
        hk.store %arg0
        """,
    )


def only_stores(out, n):
    if n > 0:
        gl.store(out, 1.0)


def test_nothing_to_merge(emit, check):
    ir = emit(only_stores, "*f32, i32")
    check(ir, "scf.if %{{[0-9]+}} {")
    assert "else" not in ir


def swapped(out, n):
    a, b = 1.0, 2.0
    if n > 0:
        a, b = b, a
    gl.store(out, a - b)


def test_swap_in_a_branch(emit, check):
    check(emit(swapped, "*f32, i32"), "scf.if %{{.*}} -> (f32, f32)")


def tuples(out, n):
    pair = (1.0, 2)
    if n > 0:
        pair = (3.0, 4)
    gl.store(out, pair[0])


def test_tuples_are_merged_part_by_part(emit, check):
    check(emit(tuples, "*f32, i32"), "scf.if %{{.*}} -> (f32, i32)")


def same_constexpr(out, n):
    if n > 0:
        kind = gl.float32
    else:
        kind = gl.float32
    gl.store(out, gl.load(out).to(kind))


def test_equal_compile_time_values_stay_known(emit, check):
    check(emit(same_constexpr, "*f32, i32"), "hk.store")


def early_return(out, n):
    if n == 0:
        return
    gl.store(out, 1.0)
    if n > 5:
        gl.store(out, 2.0)
        return
    gl.store(out, 3.0)


def test_the_rest_goes_into_the_other_branch(emit, check):
    check(
        emit(early_return, "*f32, i32"),
        """
        scf.if
        } else {
          1.000000e+00
          scf.if
            2.000000e+00
          } else {
            3.000000e+00
        return
        """,
    )


@hocket.jit
def clamp_index(i, n):
    if i < 0:
        return 0
    if i >= n:
        return n - 1
    return i


def calls_early_return(out, n):
    gl.store(out + clamp_index(gl.program_id(0), n), 1.0)


def test_early_return_of_a_callee(emit, check):
    check(
        emit(calls_early_return, "*f32, i32"),
        """
        %{{[0-9]+}} = scf.if %{{.*}} -> (i32)
          scf.yield %c0
        } else {
          scf.if %{{.*}} -> (i32)
        hk.addptr %arg0
        """,
    )


def known_early_return(out, STOP: gl.constexpr):
    if STOP:
        return
    gl.store(out, undefined)  # noqa: F821 (not visited when STOP)


def test_known_early_return_ends_the_function(emit):
    assert "hk.store" not in emit(known_early_return, "*f32", STOP=True)


def conditional(out, n, KNOWN: gl.constexpr):
    a = 1.0 if n > 0 else 2.0
    b = a if KNOWN else undefined_name  # noqa: F821 (not visited)
    gl.store(out, b)


def test_conditional_expressions(emit, check):
    check(emit(conditional, "*f32, i32", KNOWN=True), "scf.if %{{.*}} -> (f32)")


def logical(out, n, NONE: gl.constexpr):
    if NONE is None or undefined_name:  # noqa: F821 (not visited)
        gl.store(out, 1.0)
    if n > 0 and n < 10:
        gl.store(out, 2.0)
    if not n:
        gl.store(out, 3.0)
    if NONE is None and n > 3:
        gl.store(out, 4.0)


def test_and_or_not(emit, check):
    check(
        emit(logical, "*f32, i32", NONE=None),
        """
        1.000000e+00
        arith.andi
        2.000000e+00
        3.000000e+00
        arith.cmpi sgt
        4.000000e+00
        """,
    )


def test_bits_of_numbers_that_were_conditions_may_be_compared(emit):
    def kernel(x, n):
        if (gl.sum((gl.load(x + gl.arange(0, 128, LINE)) > 0).to(gl.int32)) & 1) == 0:
            gl.store(x, n & 1 == 0)
        if ((n > 2).to(gl.int32) & 1) == 0:
            gl.store(x, 1)

    assert emit(kernel, "*i32, i32").count("scf.if") == 2
