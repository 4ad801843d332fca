"""Mistakes with functions for scores and masks of attention, and their messages."""

import pathlib

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError, LaunchError
from hocket.kernels import attention, attention_block_mask


def half(*shape):
    return np.zeros(shape, np.float16)


Q = half(2, 4, 70, 64)


def plain(batch, head, query, key):
    return key <= query


causal = hocket.jit(plain)


@hocket.jit
def bias(score, batch, head, query, key, slope):
    return score + gl.load(slope + head)


@hocket.jit
def rounds(score, batch, head, query, key):
    return score.to(gl.bfloat16)


@hocket.jit
def takes_the_maximum(score, batch, head, query, key):
    return gl.max(score, axis=1)


@hocket.jit
def returns_a_distance(batch, head, query, key):
    return query - key


@hocket.jit
def forgets_the_score(score, batch, head, query, key):
    return key.to(gl.float32)


@hocket.jit
def returns_nothing(batch, head, query, key):
    query - key


@hocket.jit
def returns_a_scalar(batch, head, query, key):
    return batch < head


def mask(mask_mod=causal, batch=None, heads=None, queries=70, keys=70, like=Q, **options):
    return attention_block_mask(mask_mod, batch, heads, queries, keys, like=like, **options)


def call(**options):
    return lambda: attention(Q, Q, Q, **options)


#: Function to call, and the message.
MISTAKES = {
    "a plain function": (
        call(mask_mod=plain),
        "attention: mask_mod must be a @hocket.jit function, not function\n  hint: write @hocket.jit above its def",
    ),
    "a number": (call(score_mod=3), "attention: score_mod must be a @hocket.jit function, not int"),
    "too few parameters": (
        call(score_mod=causal),
        "attention: score_mod is called with (score, batch, head, query, key), but its parameters are "
        "plain(batch, head, query, key)",
    ),
    "too many arguments": (
        call(mask_mod=causal, mod_args=(1, 2)),
        "attention: mask_mod is called with (batch, head, query, key, *mod_args), with 2 mod_args, but its parameters "
        "are plain(batch, head, query, key)",
    ),
    "a missing argument": (
        call(score_mod=bias),
        "attention: score_mod is called with (score, batch, head, query, key), but its parameters are "
        "bias(score, batch, head, query, key, slope)",
    ),
    "an array of arguments": (
        call(score_mod=bias, mod_args=np.zeros(4, np.float32)),
        "attention: mod_args must be a tuple of arrays and numbers, not ndarray\n  hint: write mod_args=(array,)",
    ),
    "arguments without a function": (
        call(mod_args=(3,)),
        "attention: mod_args are arguments of score_mod and mask_mod, but there is neither",
    ),
    "a block mask without its function": (
        lambda: attention(Q, Q, Q, block_mask=mask()),
        "attention: block_mask is the mask of plain, but mask_mod is None\n  hint: pass mask_mod=plain",
    ),
    "a block mask of another function": (
        lambda: attention(Q, Q, Q, mask_mod=returns_a_distance, block_mask=mask()),
        "attention: block_mask is the mask of plain, but mask_mod is returns_a_distance\n  hint: pass mask_mod=plain",
    ),
    "a block mask of other sizes": (
        lambda: attention(Q, Q, Q, mask_mod=causal, block_mask=mask(heads=8)),
        "attention: block_mask is for (batch, heads, queries, keys) = (None, 8, 70, 70), but those of q and k are "
        "(2, 4, 70, 70)",
    ),
    "a block mask that is an array": (
        call(mask_mod=causal, block_mask=np.ones((2, 1))),
        "attention: block_mask must be a result of attention_block_mask, not ndarray",
    ),
    "a block mask and causal": (
        lambda: attention(Q, Q, Q, mask_mod=causal, block_mask=mask(), causal=True),
        "attention: a block mask and causal=True exclude each other\n"
        "  hint: let mask_mod also return False for keys after query + keys - queries, and compute block_mask again",
    ),
    "sizes that are not positive": (
        lambda: mask(queries=0),
        "attention_block_mask: queries must be a positive number, not 0",
    ),
    "keys that are None": (
        lambda: mask(keys=None),
        "attention_block_mask: keys must be a positive number, not None",
    ),
    "a batch that is a float": (
        lambda: mask(batch=2.0),
        "attention_block_mask: batch must be a positive number, not 2.0",
    ),
    "a block mask of a plain function": (
        lambda: mask(plain),
        "attention_block_mask: mask_mod must be a @hocket.jit function, not function\n"
        "  hint: write @hocket.jit above its def",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    function, message = MISTAKES[name]
    with emulator.target("sm_90a"), pytest.raises(LaunchError) as error:
        function()
    assert str(error.value) == message


#: Functions whose results have a wrong type: the function, the launch, and the part of the message after its line.
RESULTS = {
    "bfloat16": (
        rounds, call(score_mod=rounds),
        "must return a float32 tile of shape [64, 128], not bfloat16 of shape [64, 128]",
    ),
    "a maximum": (
        takes_the_maximum, call(score_mod=takes_the_maximum),
        "must return a float32 tile of shape [64, 128], not float32 of shape [64]",
    ),
    "a bias of each key": (
        forgets_the_score, call(score_mod=forgets_the_score),
        "must return a float32 tile of shape [64, 128], not float32 of shape [1, 128]",
    ),
    "integers": (
        returns_a_distance, call(mask_mod=returns_a_distance),
        "must return a bool tile of shape [64, 128], not int32 of shape [64, 128]",
    ),
    "nothing": (
        returns_nothing, call(mask_mod=returns_nothing), "must return a bool tile of shape [64, 128], not a constant",
    ),
    "a scalar": (
        returns_a_scalar, lambda: mask(returns_a_scalar), "must return a bool tile of shape [64, 128], not a scalar",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_wrong_types(name):
    function, launch, message = RESULTS[name]
    with emulator.target("sm_90a"), pytest.raises(CompileError) as error:
        launch()
    code = function.fn.__code__
    kind = "score_mod" if "score" in code.co_varnames else "mask_mod"
    place = f"({pathlib.Path(__file__).name}:{code.co_firstlineno})"
    assert f"static assertion failed: attention: {kind} {code.co_name} {place} {message}\n" in str(error.value)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_targets_without_functions(target):
    message = f"attention: score_mod and mask_mod are not supported for {target} yet; they are for sm_90a"
    with emulator.target(target), pytest.raises(LaunchError) as error:
        attention(Q, Q, Q, mask_mod=causal)
    assert str(error.value) == message
    with emulator.target(target), pytest.raises(LaunchError) as error:
        mask()
    assert str(error.value) == f"attention_block_mask has no kernel for {target} yet; it is written for sm_90a"
