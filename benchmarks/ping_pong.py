"""Measures how much the stages of two warpgroups overlap, in an attention kernel whose MMAs are in an exclusive stage.

    python benchmarks/ping_pong.py [--emulated] [--json FILE]

The kernel is in tests/numerics/support/hopper_attention_pipeline.py. It is launched with one block, in two of the forms
in hopper_pipeline_forms.py.
"""

import argparse
import pathlib
import sys

import numpy as np
from results import Results

from hocket import devices, profiler

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/numerics/support"))
import hopper_attention_pipeline
from hopper_pipeline_forms import ATTENTION

BLOCKS = 12
LOADED_BEFORE = {"SLOTS": BLOCKS, "AHEAD": BLOCKS}


def stage_of_groups(launch: profiler.ProfiledLaunch, name: str) -> list[np.ndarray]:
    """Returns an array for each of the two groups of four warps: the (begin, end) of each execution of a stage, from
    the first warp that begins to the last warp that ends."""
    (site,) = [site.id for site in launch.facts.sites if site.name == name and site.kind == "stage"]
    spans = launch.spans[launch.spans["site"] == site]
    of_warps = [spans[spans["warp"] == warp] for warp in range(8)]
    return [
        np.stack([np.min([w["begin"] for w in warps], axis=0), np.max([w["end"] for w in warps], axis=0)], axis=1)
        for warps in (of_warps[:4], of_warps[4:])
    ]


def share_under(one: np.ndarray, other: np.ndarray) -> float:
    """Returns the fraction of the time of the intervals `one` that overlaps with the intervals `other`. The first two
    and the last two intervals of `one` are left out, because the pipeline fills and drains."""
    inner = one[2:-2]
    together = np.minimum(inner[:, None, 1], other[None, :, 1]) - np.maximum(inner[:, None, 0], other[None, :, 0])
    return float(np.maximum(together, 0).sum() / (inner[:, 1] - inner[:, 0]).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emulated", action="store_true", help="use the emulator's virtual clock")
    results = Results("ping_pong", inputs="standard normal", method="records of the profiler, medians of one launch")
    results.add_option(parser)
    options = parser.parse_args()
    device = devices.EmulatedDevice("sm_90a") if options.emulated else devices.cuda()
    ours = ("iteration", "products 0", "products 1", "softmax 0", "softmax 1")
    cycles = results.table("cycles", "cycles of an iteration and of its stages", "cycles", better="lower", ours=ours)
    shares = results.table("hidden", "fraction of MMA time during the other group's softmax", "share", ours=("0", "1"))
    print(f"{'form':36} {'iter.':>6} {'products':>10} {'softmax':>11} {'hidden':>11} {'MMAs together':>18}")
    for form in ("turns", "turns in flight"):
        for what, choices in ((form, {}), (f"{form}, all loaded before", LOADED_BEFORE)):
            for launch in range(3):
                with device, profiler.session("turns", buffer="device", correct=False) as profile:
                    hopper_attention_pipeline.attended(device, BLOCKS, **ATTENTION[form] | choices)
                products, softmax = (stage_of_groups(profile.launches[0], name) for name in ("products", "softmax"))
                lengths = [[np.median(group[:, 1] - group[:, 0]) for group in stage] for stage in (products, softmax)]
                turn = np.median(np.diff(products[0][:, 0]))
                hidden = [share_under(products[group], softmax[1 - group]) for group in (0, 1)]
                print(
                    f"{what:36} {turn:6.0f} {lengths[0][0]:5.0f}{lengths[0][1]:5.0f} {lengths[1][0]:6.0f}"
                    f"{lengths[1][1]:5.0f} {hidden[0]:6.2f}{hidden[1]:5.2f} {share_under(*products):18.2f}"
                )
                row = {"form": what, "launch": launch, "products_together": share_under(*products)}
                cycles.add(
                    f"{what}, launch {launch}", dict(zip(ours, (turn, *lengths[0], *lengths[1]), strict=True)), **row
                )
                shares.add(f"{what}, launch {launch}", {"0": hidden[0], "1": hidden[1]}, **row)
    results.save(options)


if __name__ == "__main__":
    main()
