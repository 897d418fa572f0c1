"""Random small programs through all passes: valid IR that prints the same when it is read again, or a clear refusal."""

from __future__ import annotations

import pytest
from linalg_programs import random_program

from sttest.compile.ir.module_walk import set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import all_passes
from sttest.core.errors import SttestError

# What a random program may be refused for: its sizes, not its form.
EXPECTED = {"tile-too-large"}
PROGRAMS_PER_CASE = 10


@pytest.mark.daily
@pytest.mark.parametrize(
    "first_seed",
    [
        pytest.param(seed, marks=[pytest.mark.nightly] if seed >= 1080 else [])
        for seed in range(1000, 1200, PROGRAMS_PER_CASE)
    ],
)
def test_random_programs_become_streams(first_seed: int) -> None:
    refusals = [refusal(seed) for seed in range(first_seed, first_seed + PROGRAMS_PER_CASE)]
    assert set(refusals) <= {None, *EXPECTED}
    assert refusals.count(None) >= PROGRAMS_PER_CASE // 2, "most programs must get through"


def refusal(seed: int) -> str | None:
    """The code of the error that a program is refused with; None where it becomes streams."""
    context = new_context()
    module = parse(random_program(seed), f"seed {seed}", context)
    set_target(module, "u55c")
    options = CompileOptions(tile_size=(1, 2, 3, 4, 8, 16)[seed % 6], overall_unroll=100_000)
    try:
        for each in all_passes(options)[:-1]:
            each.apply(context, module)
            module.verify()
    except SttestError as error:
        return error.code
    text = str(module)
    assert str(parse(text, "again")) == text
    return None
