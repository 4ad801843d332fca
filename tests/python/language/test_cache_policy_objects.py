"""Arguments of ampere.CachePolicy and FractionalEvictionPolicy."""

import pytest

from hocket.language.nvidia.ampere import CachePolicy, FractionalEvictionPolicy


def test_fields():
    policy = CachePolicy(None, "no_allocate", FractionalEvictionPolicy("evict_last", 0.25, "evict_first"), 128)
    assert (policy.cache_modifier, policy.l1, policy.l2_prefetch_size) == (None, "no_allocate", 128)
    assert (policy.l2.primary, policy.l2.fraction, policy.l2.secondary) == ("evict_last", 0.25, "evict_first")
    assert CachePolicy() == CachePolicy(None, None, None, None)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: FractionalEvictionPolicy("never"), "primary must be one of 'evict_normal', .*, got 'never'"),
        (lambda: FractionalEvictionPolicy("evict_last", 0), "fraction must be above 0 and at most 1, got 0"),
        (lambda: FractionalEvictionPolicy("evict_last", 1.0, "evict_last"), "secondary must be one of 'evict_first', "),
        (lambda: CachePolicy(".cg", l1="evict_last"), "cache_modifier='.cg' and l1='evict_last' exclude each other: "),
        (lambda: CachePolicy(l1="evict"), "l1 must be one of .*, got 'evict'"),
        (lambda: CachePolicy(l2="evict_first"), "l2 must be a FractionalEvictionPolicy, got 'evict_first'"),
        (lambda: CachePolicy(l2_prefetch_size=96), "l2_prefetch_size must be one of 64, 128, 256, got 96"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(ValueError, match=message):
        make()
