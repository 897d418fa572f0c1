"""``python -m experiments.best find MODEL PHASE``: a search, whose design `sttest reproduce best` makes again."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from experiments.best.cases import BUDGETS, MODELS, PHASES, Case
from experiments.best.find import Search, find
from experiments.best.found import write_found
from sttest.core.errors import SttestError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is asked for; the exit code."""
    asked = _parser().parse_args(arguments)
    search = Search(Case(asked.model, asked.phase, asked.budget), tuple(asked.base), asked.tries, asked.most_designs)
    try:
        found = find(search, _teller())
    except SttestError as error:
        print(f"{error.where}: {error.what}", file=sys.stderr)
        return 2
    print(f"{write_found(found)}: {found.cycles:,} cycles from {found.base}")
    return 0


def _teller() -> Callable[[str], None]:
    """A line on stderr for each step, with the time."""
    began = time.perf_counter()
    return lambda what: print(f"[{time.perf_counter() - began:5.0f} s] {what}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments.best", description=__doc__)
    verb = parser.add_subparsers(required=True).add_parser("find", help="search, and write the design's file")
    verb.add_argument("model", choices=MODELS)
    verb.add_argument("phase", choices=PHASES)
    verb.add_argument("--budget", choices=BUDGETS, default="tight", help="how much of the board may be filled")
    verb.add_argument("--base", action="append", default=[], help="start from these options only; may be repeated")
    verb.add_argument("--tries", type=int, default=2, help="bases to descend from to a design that fits")
    verb.add_argument("--most-designs", type=int, default=60, help="to compile and simulate per descent")
    return parser


if __name__ == "__main__":
    sys.exit(main())
