"""Mutated IR through hocket-opt and mutated kernels through the compiler.

    python tests/robustness/mutation_torture.py [mutated-ir] [mutated-kernels] [--count N]

Every input is made from its seed, so a finding is tried again with `--first SEED --count 1`. Exit status 1 if anything
crashed, hung or was wrong; the inputs that did are left in build/torture.
"""

import argparse
import os
import sys

import campaign
import mutated_ir
import mutated_kernels

PARTS = {part.name: part for part in (mutated_ir.PART, mutated_kernels.PART)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, help="how many inputs of each part")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    tallies = {}
    for name in options.parts or PARTS:
        part = PARTS[name]
        count = options.count or part.long
        tallies[name] = campaign.run_part(part, count, options.jobs, options.first, campaign.show_progress)
        campaign.save(name, tallies[name].findings, mutated_ir.ROOT / "build/torture")
    print("\n".join(campaign.table(tallies)))
    return any(tally.findings for tally in tallies.values())


if __name__ == "__main__":
    sys.exit(main())
