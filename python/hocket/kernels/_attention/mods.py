"""Functions that change the scores of attention: `score_mod` and `mask_mod`, both jit functions of the user.

    score_mod(score, batch, head, query, key, *args)    the score after the change; `score` is scaled, float32
    mask_mod(batch, head, query, key, *args)            True where the query sees the key

`query` and `key` are int32 tiles of shape [rows, 1] and [1, columns]. A load of one value per key thus loads one value
per column, not one per score. `batch` and `head` are scalars. The names are those of PyTorch's FlexAttention (Dong et
al., "Flex Attention", 2024), whose functions take scalars.

Functions get the index of the last query or key for rows and columns past the end, so they may load from arrays without
a mask. The kernel masks scores of keys past the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import aggregate, aggregate_replace, constexpr_function, jit
from ... import language as gl
from ...errors import LaunchError
from .._common.user_functions import check_function, location_of

#: Row max of a row that has seen no key. With -inf, P of the next block would be NaN, and P of all blocks up to the
#: first visible key would be recomputed. Times log2(e), the number must not overflow float32.
NO_KEY = gl.constexpr(-(2.0**126))

#: Factor from natural to base-2 logarithms.
LOG2_E = gl.constexpr(1.4426950408889634)


class Modifiers(NamedTuple):
    """Arguments of `attention` that change scores; `block_mask` is a `BlockMask`."""

    score_mod: Any = None
    mask_mod: Any = None
    args: tuple = ()
    block_mask: Any = None

    @property
    def is_empty(self) -> bool:
        """True if the call has neither function."""
        return self.score_mod is None and self.mask_mod is None


@aggregate
class Mods:
    """The functions of a launch, and their arguments except indices of queries and keys.

    Fields:
        score_mod, mask_mod: jit functions, or None.
        args: further arguments of both functions.
        scale: factor of the scores before `score_mod`, without log2(e).
        batch, head: indices of the tile.
        queries, keys: lengths.
    """

    score_mod: gl.constexpr
    mask_mod: gl.constexpr
    args: Any
    scale: gl.tensor
    batch: gl.tensor
    head: gl.tensor
    queries: gl.tensor
    keys: gl.tensor


@jit
def mods_of_tile(mods, work):
    """Returns the `Mods` of a tile; None if the launch has no functions."""
    if mods is None:
        return None
    return aggregate_replace(mods, batch=work.batch, head=work.head)


@constexpr_function
def _is_tile(shape, wanted, is_broadcast):
    """Returns True if `shape` is the `wanted` one, or, if `is_broadcast`, one that can be broadcast to it."""
    return len(shape) == len(wanted) and all(
        size == n or (is_broadcast and size == 1) for size, n in zip(shape, wanted, strict=True)
    )


@constexpr_function
def _rule(name, function, what, shape, found):
    """Returns a message that names the function and its line, because no call of the user leads to this check."""
    where = f"{function.fn.__name__} ({location_of(function)})"
    return f"attention: {name} {where} must return {what} of shape {list(shape)}, not {found}"


@constexpr_function
def _type_of_tile(dtype, shape):
    return f"{dtype} of shape {list(shape)}"


@jit
def check_result(
    result, FUNCTION: gl.constexpr, NAME: gl.constexpr, WHAT: gl.constexpr, DTYPE: gl.constexpr, SHAPE: gl.constexpr,
    IS_BROADCAST: gl.constexpr,
):  # fmt: skip
    """Stops compilation unless `result`, which FUNCTION has returned, is a tile of DTYPE and SHAPE. If IS_BROADCAST,
    shapes that can be broadcast to SHAPE are also accepted."""
    if not isinstance(result, gl.tensor):
        gl.static_assert(False, _rule(NAME, FUNCTION, WHAT, SHAPE, "a constant"))
    elif len(result.shape) == 0:
        gl.static_assert(False, _rule(NAME, FUNCTION, WHAT, SHAPE, "a scalar"))
    else:
        is_right: gl.constexpr = result.dtype == DTYPE and _is_tile(result.shape, SHAPE, IS_BROADCAST)
        found: gl.constexpr = _type_of_tile(result.dtype, result.shape)
        gl.static_assert(is_right, _rule(NAME, FUNCTION, WHAT, SHAPE, found))


@jit
def seen_keys(batch, head, query, key, args, MASK_MOD: gl.constexpr):
    """Returns the result of `mask_mod`."""
    seen = MASK_MOD(batch, head, query, key, *args)
    shape: gl.constexpr = [query.shape[0], key.shape[1]]
    check_result(seen, MASK_MOD, "mask_mod", "a bool tile", gl.int1, shape, True)
    return seen


@jit
def changed_scores(scores, mods, query, key):
    """Returns the scores that `score_mod` returns."""
    changed = mods.score_mod(scores * mods.scale, mods.batch, mods.head, query, key, *mods.args)
    check_result(changed, mods.score_mod, "score_mod", "a float32 tile", gl.float32, scores.shape, False)
    return changed


@jit
def modify(scores, mods, row0, key0, cfg: gl.constexpr, IS_MASKED: gl.constexpr):
    """Returns the scores after `score_mod`, and after `mask_mod` if IS_MASKED."""
    query = row0 + gl.arange(0, scores.shape[0], layout=gl.SliceLayout(1, scores.layout))
    query = gl.minimum(query, mods.queries - 1)[:, None]
    key = key0 + gl.arange(0, scores.shape[1], layout=gl.SliceLayout(0, scores.layout))
    if IS_MASKED and cfg.masks_end:
        key = gl.minimum(key, mods.keys - 1)
    key = key[None, :]
    if cfg.has_score_mod:
        scores = changed_scores(scores, mods, query, key)
    if cfg.has_mask_mod and IS_MASKED:
        seen = seen_keys(mods.batch, mods.head, query, key, mods.args, mods.mask_mod)
        scores = gl.where(seen, scores, float("-inf"))
    return scores


SCORE_ARGUMENTS, MASK_ARGUMENTS = "score, batch, head, query, key", "batch, head, query, key"


def check_modifiers(modifiers: Modifiers, sizes: tuple[int, int, int, int], causal: bool) -> None:
    """Raises a LaunchError if the arguments that change scores do not fit each other, or do not fit `sizes`: batch,
    heads, queries, keys."""
    score_mod, mask_mod, args, block_mask = modifiers
    if score_mod is not None:
        check_function("attention", "score_mod", score_mod, SCORE_ARGUMENTS, args)
    if mask_mod is not None:
        check_function("attention", "mask_mod", mask_mod, MASK_ARGUMENTS, args)
    if modifiers.is_empty and args:
        raise LaunchError("attention: mod_args are arguments of score_mod and mask_mod, but there is neither")
    if block_mask is not None:
        if not hasattr(block_mask, "mask_mod"):
            raise LaunchError(
                "attention: block_mask must be a result of attention_block_mask, not " + type(block_mask).__name__
            )
        block_mask.check(mask_mod, sizes, causal)


__all__ = [
    "LOG2_E",
    "NO_KEY",
    "Modifiers",
    "Mods",
    "check_modifiers",
    "modify",
    "mods_of_tile",
    "seen_keys",
]
