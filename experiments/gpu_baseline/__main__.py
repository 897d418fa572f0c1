"""``python -m experiments.gpu_baseline``: measures the plan on this machine's GPU."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from experiments.gpu_baseline.campaign import Campaign
from experiments.gpu_baseline.points import (
    MODELS,
    MODES,
    Point,
    admitted,
    full_plan,
    modes_of,
    select,
    setup_estimate_s,
    total_estimate_s,
)

_SMOKE_SCALE = 0.02
_IDLE_S = 8.0
_IDLE_REPEATS = 2


def main(arguments: Sequence[str] | None = None, started_s: float | None = None) -> int:
    """Runs the command line; 0 even where single points fail, since their rows say so."""
    started_s = time.monotonic() if started_s is None else started_s
    options = _parser().parse_args(arguments)
    scale = _SMOKE_SCALE if options.smoke else 1.0
    everything = select(full_plan(scale), options.only)
    if not everything:
        print(f"nothing to measure: --only takes MODEL or MODEL/MODE of {MODELS} and {MODES}", file=sys.stderr)
        return 2
    if options.plan:
        _print_plan(everything, options.budget_seconds)
        return 0
    campaign = Campaign(options.out, options.device, small=options.smoke, resume=options.resume)
    deadline_s = started_s + options.budget_seconds
    campaign.run(everything, deadline_s, _IDLE_S * scale, _IDLE_REPEATS)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments.gpu_baseline", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_baseline"), help="folder of rows and environment")
    parser.add_argument("--only", nargs="*", default=[], metavar="MODEL[/MODE]", help="measure these alone")
    parser.add_argument("--budget-seconds", type=float, default=1080.0, help="when to stop, counted from the start")
    parser.add_argument("--resume", action="store_true", help="keep the finished points of --out")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--smoke", action="store_true", help="tiny models and windows: a trial run, not a measurement")
    parser.add_argument("--plan", action="store_true", help="print points and estimated seconds, measure nothing")
    return parser


def _print_plan(points: Sequence[Point], budget_s: float) -> None:
    kept = set(admitted(points, budget_s))
    for point in points:
        fate = "" if point in kept else "  dropped"
        print(f"{point.estimate_s:7.1f} s  priority {point.priority}  {point.name}{fate}")
    for model, mode in modes_of(point for point in points if point in kept):
        print(f"{setup_estimate_s(mode):7.1f} s  set-up      {model}/{mode}")
    kept_s = total_estimate_s([point for point in points if point in kept])
    print(f"{kept_s:7.1f} s of {budget_s:g} s; {total_estimate_s(points):.1f} s without a budget")


if __name__ == "__main__":
    sys.exit(main())
