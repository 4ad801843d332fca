"""Mutated IR through hocket-opt, mutated kernels through the compiler, random commands, random programs that are
compared with NumPy: inputs made from seeds.

    python tests/robustness/seeded_torture.py [mutated-ir] [mutated-kernels] [random-commands] [--count N]
    python tests/robustness/seeded_torture.py programs-sm_80 programs-sm_90a programs-gfx942 programs-gfx950 proxies
    python tests/robustness/seeded_torture.py auto-stages-gfx942 auto-stages-gfx950
    python tests/robustness/seeded_torture.py --seconds 900 --results FILE

A finding is tried again with `--first SEED --count 1`. Exit status 1 if anything crashed, hung or was wrong; the inputs
that did are left in build/torture, or beside FILE, the first of IR that crashes in one way with as few lines as do so.
With --seconds the parts run interleaved until the time is over or FILE counts --count of each, starting from the seeds
that FILE does not yet count.
"""

import argparse
import os
import pathlib
import sys

sys.path += [str(pathlib.Path(__file__).parent / folder) for folder in ("mutations", "waits")]

import campaign
import compared_programs
import compared_releases
import compared_waits
import deleted_waits
import extremum_expressions
import kernel_shapes
import legal_waits
import mutated_ir
import mutated_kernels
import proxy_programs
import random_auto_stages
import random_commands

PARTS = [mutated_ir.PART, mutated_kernels.PART, random_commands.PART, *compared_programs.PARTS]
PARTS += [*compared_waits.PARTS, *compared_releases.PARTS, proxy_programs.PART]
PARTS += [*extremum_expressions.PARTS, *kernel_shapes.PARTS, *legal_waits.PARTS, *deleted_waits.PARTS]
PARTS += random_auto_stages.PARTS
PARTS = {part.name: part for part in PARTS}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, help="how many inputs of each part")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, help="time limit, for all parts together")
    parser.add_argument("--results", type=pathlib.Path, help="JSON file with counts of tried inputs, to continue from")
    options = parser.parse_args()
    parts = [PARTS[name] for name in options.parts or PARTS]
    folder = options.results.parent if options.results else mutated_ir.ROOT / "build/torture"
    folder.mkdir(parents=True, exist_ok=True)
    if options.seconds:
        tallies = campaign.run_in_turns(
            parts, options.seconds, options.jobs, options.first, options.results, options.count
        )
    else:
        tallies = {}
        for part in parts:
            count = options.count or part.long
            tallies[part.name] = campaign.run_part(part, count, options.jobs, options.first, campaign.show_progress)
    for name, tally in tallies.items():
        campaign.save(PARTS[name], tally.findings, folder)
    print("\n".join(campaign.table(tallies)))
    return any(tally.findings for tally in tallies.values())


if __name__ == "__main__":
    sys.exit(main())
