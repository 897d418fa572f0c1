"""No simulation is faster than the bounds, and no design smaller, over random options and programs."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.compile.compiler import compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources
from sttest.compile.sharing.processes import process_name
from sttest.core.errors import DoesNotFitError, InputError
from sttest.explore.evaluate import Evaluator
from sttest.explore.facts import bounds
from sttest.explore.objectives import Target, objectives_of
from sttest.explore.space import lanes_of, resolved, space_of, tiling_of
from sttest.frontend.shipped import lowered_text
from tests.explore.tiny_searches import two_products

SHAPES = {"decode": (1, 32), "prefill": (16, 0)}


@cache
def block(model: str, phase: str) -> Evaluator:
    target = Target(lowered_text(model, phase, small=True), model, phase, *SHAPES[phase], "u55c", "w4a8", 2, 4.57)
    return Evaluator(target, objectives_of(("latency", "tokens-per-joule", "area"), target), check_resources=False)


@cache
def products() -> Evaluator:
    target = Target(two_products(), "two-products", "prefill", 16, 0, "u55c", "fp32", 2, 1.0)
    return Evaluator(target, objectives_of(("latency", "area"), target), check_resources=False)


def check(evaluator: Evaluator, data: st.DataObject) -> None:
    """One random point: the bounds hold, and what they promise of the objectives is no worse than what came."""
    precision = evaluator.target.precision
    space = space_of(evaluator.facts(CompileOptions(precision=precision)), {})
    point = {domain.name: data.draw(st.sampled_from(domain.choices), domain.name) for domain in space}
    tiling = tiling_of(point, CompileOptions(precision=precision))
    try:
        facts = evaluator.facts(tiling)
        lanes = lanes_of(point, facts)
        figures = evaluator.figures(resolved(tiling, lanes))
    except (DoesNotFitError, InputError):
        return
    limits = bounds(facts, lanes)
    assert limits.cycles <= figures["cycles"]
    assert limits.memory_cycles > 0
    for kind in ("dsp", "lut", "ff"):
        assert getattr(limits.logic, kind) <= figures[kind] * (1 + 1e-9)
    made = compile_text(evaluator.target.text, "made", "u55c", resolved(tiling, lanes))
    taken = design_resources(made).by_node
    for engine in facts.engines:  # as a search refuses one that is more than a process may be
        unit, least = engine.tasks[0].engine, engine.logic(lanes[engine.tasks[0].name])
        (process,) = {process_name(task) for task in all_of(made.module, df.TaskOp) if process_name(task) == unit}
        assert all(one <= other * (1 + 1e-9) for one, other in zip(least, taken[process], strict=True))
    best = evaluator.best_losses(facts, limits)
    came = [objective.loss(figures) for objective in evaluator.objectives]
    assert all(least <= loss + 1e-9 * abs(loss) for least, loss in zip(best, came, strict=True))


@pytest.mark.parametrize(
    ("model", "phase"),
    [
        ("gpt2", "decode"),
        *(
            pytest.param(model, phase, marks=pytest.mark.nightly)
            for model, phase in (("gpt2", "prefill"), ("llama", "decode"))
        ),
    ],
)
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_no_block_is_below_its_bounds(model, phase, data):
    check(block(model, phase), data)


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_no_program_in_floating_point_is_below_its_bounds(data):
    check(products(), data)


def test_the_chain_counts_what_waits():
    """Two products one after the other take about twice one of them: the second reads its input again and again."""
    evaluator = products()
    facts = evaluator.facts(CompileOptions(precision="fp32", tile_size=8))
    one = {task.name: 1 for task in facts.tasks}
    limits = bounds(facts, one)
    assert limits.work_cycles == 16 * 64 * 64
    assert limits.chain_cycles > limits.work_cycles


def test_bounds_are_near_for_a_decode_step():
    """They prune because they are near: a decode step's stages depend on each other."""
    evaluator = block("gpt2", "decode")
    facts = evaluator.facts(CompileOptions())
    lanes = {task.name: 1 for task in facts.tasks}
    simulated = evaluator.figures(resolved(CompileOptions(), lanes))["cycles"]
    assert 0.7 * simulated < bounds(facts, lanes).cycles <= simulated
