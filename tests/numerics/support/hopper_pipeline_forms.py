"""Options of the kernels of hopper_pipelines.py: forms that tests launch."""

import hopper_pipelines as kernels

PRODUCTS = [
    (kernels.through_registers, {"GAP": 1, "FENCE": False}),
    (kernels.through_registers, {"GAP": 1, "FENCE": True}),
    (kernels.through_registers, {"GAP": 2, "FENCE": False}),
    (kernels.without_waits, {}),
    (kernels.by_turns, {}),
    (kernels.by_copies, {"SLOTS": 4}),
    (kernels.by_tma, {"SLOTS": 4, "AHEAD": 2, "EXCLUSIVE": False}),
    (kernels.by_tma, {"SLOTS": 3, "AHEAD": 1, "EXCLUSIVE": False}),
    (kernels.by_tma, {"SLOTS": 4, "AHEAD": 2, "EXCLUSIVE": True}),
    (kernels.products_in_flight, {"SLOTS": 4, "AHEAD": 2}),
    (kernels.specialized, {"SLOTS": 3, "IN_WORKER": False, "EXCLUSIVE": False}),
    (kernels.specialized, {"SLOTS": 2, "IN_WORKER": True, "EXCLUSIVE": False}),
    (kernels.specialized, {"SLOTS": 2, "IN_WORKER": False, "EXCLUSIVE": True}),
    (kernels.specialized, {"SLOTS": 3, "IN_WORKER": True, "EXCLUSIVE": True}),
]


def name_of(case):
    kernel, options = case
    return "-".join([kernel.fn.__name__, *(f"{name}{value}" for name, value in options.items())])


ATTENTION = {
    "plain": {"SLOTS": 3, "STAGED": False},
    "staged": {"SLOTS": 3, "STAGED": True},
    "in flight": {"SLOTS": 4, "STAGED": True, "IN_FLIGHT": True},
    "turns": {"SLOTS": 3, "STAGED": True, "EXCLUSIVE": True},
    "turns in flight": {"SLOTS": 4, "STAGED": True, "EXCLUSIVE": True, "IN_FLIGHT": True},
}
