"""Thousands of hostile files: each must give a result or an error, within bounds of time and memory.

    python -m benchmarks.fuzz_campaign --cases 10000 --seed 1

Prints how often each outcome came up; leaves with 1 if there was anything but results and errors.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.hostile.campaign import Bounds, Found, campaign


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--memory-gb", type=float, default=10.0, help="per worker, beyond what it starts with")
    parser.add_argument("--case-s", type=float, default=120.0, help="after which a case counts as hung")
    asked = parser.parse_args()
    bounds = Bounds(int(asked.memory_gb * (1 << 30)), asked.case_s)
    found = campaign(asked.seed, range(asked.first, asked.first + asked.cases), bounds, _tick)
    print(summary(found, asked.seed, bounds))
    return 1 if found.bugs else 0


def summary(found: Found, seed: int, bounds: Bounds) -> str:
    """The outcomes as text."""
    lines = [f"{found.counts.total():,} cases of seed {seed}"]
    lines += [f"{count:>8,}  {told}" for told, count in found.counts.most_common()]
    lines += [f"  {bug}" for bug in found.bugs]
    lines.append(
        f"{len(found.bugs)} neither result nor error; bounds {bounds.case_s:g} s and "
        f"{bounds.memory_bytes / (1 << 30):g} GB per case"
    )
    lines.append(f"slowest {found.slowest[0]:.1f} s ({found.slowest[1]})")
    lines.append(f"most memory held {found.peak[0] / 1e9:.2f} GB ({found.peak[1]})")
    lines.append(f"{found.wall_s:.0f} s in all")
    return "\n".join(lines)


def _tick(number: int) -> None:
    if number % 500 == 0:
        print(f"{number:,} …", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
