"""Configurations of kernels are hashed once, and are equal where their fields are."""

from dataclasses import dataclass

from hocket.kernels._common.cached_hash import cached_hash


class Counted:
    """Counts how often it is hashed."""

    hashed = 0

    def __eq__(self, other):
        return isinstance(other, Counted)

    def __hash__(self):
        Counted.hashed += 1
        return 7


@cached_hash
@dataclass(frozen=True)
class Config:
    size: int
    layout: Counted


def test_fields_are_hashed_once():
    config, before = Config(1, Counted()), Counted.hashed
    assert hash(config) == hash(config)
    assert Counted.hashed == before + 1


def test_equal_configurations_are_one_key():
    assert Config(1, Counted()) == Config(1, Counted())
    assert len({Config(1, Counted()), Config(1, Counted()), Config(2, Counted())}) == 2
