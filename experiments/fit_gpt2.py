"""Fits GPT-2 Medium's two constants on the published [32:32] row, and on nothing else.

``overall_unroll`` is the number of lanes for which the simulated TTFT comes
nearest to the published one; ``host_ms`` is what the published decode time has
left after the simulated blocks and their launches.  The launch itself is the
board's published figure, not fitted.  Both are fitted anew for each scheme that
the calibration file has, of which one is chosen.  ``python -m experiments.fit_gpt2``
repeats the fit and writes the calibration file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from experiments.blocks import BlockPoint, run_points
from experiments.calibration import Constant, fitted_precisions, launch_choice, write_constants
from experiments.gpt2 import BOARD, MODEL, decode_points, fitted_host_ms, prefill_point
from experiments.published import gpt2_row
from sttest.boards.load import load_board, require_hbm
from sttest.compile.options import CompileOptions
from sttest.core.results import PointStore
from sttest.models.registry import get_config

ROW = "StreamTensor Table 4, GPT-2 Medium [32:32]"
# Distinct designs of the tiling space lie at least one doubling of a small kernel (64 lanes) apart.
CANDIDATES = range(3072, 8192 + 1, 128)
_INPUT, _OUTPUT = 32, 32


def main(engine: str = "maxplus", jobs: int = 2) -> None:
    """Repeats the fit, prints every candidate and writes the calibration file."""
    write_constants({precision: fit(precision, engine, jobs) for precision in fitted_precisions()})


def fit(precision: str, engine: str, jobs: int) -> list[Constant]:
    """Both constants of designs of a scheme; prints every candidate."""
    published = gpt2_row("streamtensor", _INPUT, _OUTPUT)
    launch_us = getattr(require_hbm(load_board(BOARD)).launch, launch_choice().name).value
    layers = get_config(MODEL).layers
    store = PointStore(Path("build/points/fit_gpt2"))
    options = {unroll: CompileOptions(overall_unroll=unroll, precision=precision) for unroll in CANDIDATES}

    points = {unroll: prefill_point(_INPUT, given, engine) for unroll, given in options.items()}
    times = run_points(list(dict.fromkeys(points.values())), store, jobs, _say)
    ttft = {unroll: layers * (times[point].microseconds + launch_us) / 1e3 for unroll, point in points.items()}
    for unroll, value in ttft.items():
        print(f"{precision}, overall_unroll {unroll}: TTFT {value:.2f} ms, error {value / published.ttft_ms - 1:+.1%}")
    best = min(ttft, key=lambda unroll: (abs(ttft[unroll] - published.ttft_ms), unroll))

    decode = decode_points([_INPUT, _INPUT + _OUTPUT], options[best], engine)
    blocks = run_points(list(decode.values()), store, jobs, _say)
    decode_times = {context: blocks[point] for context, point in decode.items()}
    host_ms = fitted_host_ms(times[points[best]], decode_times, launch_us)
    print(f"{precision}: overall_unroll {best} lanes, host_ms {host_ms:.3f} ms")
    return [_unroll(best), _host(host_ms)]


def _unroll(value: int) -> Constant:
    return Constant(
        "overall_unroll",
        value,
        "lanes",
        f"{ROW}, TTFT",
        "lanes that the tiling space spreads over all kernels of the block; the paper searches it as a black box "
        "and does not publish it",
    )


def _host(value: float) -> Constant:
    return Constant(
        "host_ms",
        round(value, 3),
        "ms per generation",
        f"{ROW}, speed",
        "host work between prefill and decode, once per generation: the published decode times are a constant plus "
        "a time per token",
    )


def _say(point: BlockPoint) -> None:
    print(f"simulated {point.shape}", file=sys.stderr)


if __name__ == "__main__":
    main()
